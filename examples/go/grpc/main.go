// Submits a file by gRPC and follows it in the same call: go run . FILE
// The code under gen/ is made from the protos first: docs/clients.md says how.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	assay "example.org/assay/gen/assay/v1"
)

const chunkBytes = 256 * 1024 // The size that transfers fastest; messages of up to 1 MiB are taken.

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// Header, chunks, commit: without the commit the daemon throws away what it got. What fails to be sent, Recv tells.
func send(call assay.ClassificationService_ClassifyMediaClient, path string) {
	file, chunk, sent := must(os.Open(path)), make([]byte, chunkBytes), int64(0)
	header := &assay.MediaHeader{Name: filepath.Base(path)}
	err := call.Send(&assay.ClassifyMediaRequest{Payload: &assay.ClassifyMediaRequest_Header{Header: header}})
	for count := 0; err == nil; sent += int64(count) {
		if count, err = file.Read(chunk); err == nil {
			err = call.Send(&assay.ClassifyMediaRequest{Payload: &assay.ClassifyMediaRequest_Chunk{Chunk: chunk[:count]}})
		}
	}
	if err == io.EOF {
		commit := &assay.MediaCommit{SizeBytes: sent}
		_ = call.Send(&assay.ClassifyMediaRequest{Payload: &assay.ClassifyMediaRequest_Commit{Commit: commit}})
	}
	_ = call.CloseSend()
}

func main() {
	name, plain := filepath.Base(os.Args[1]), grpc.WithTransportCredentials(insecure.NewCredentials())
	channel := must(grpc.NewClient(os.Getenv("ASSAY_ADDRESS"), plain)) // With TLS: credentials.NewTLS.
	ctx := metadata.AppendToOutgoingContext(context.Background(), "x-api-key", os.Getenv("ASSAY_API_KEY"))
	call := must(assay.NewClassificationServiceClient(channel).ClassifyMedia(ctx))
	go send(call, os.Args[1])
	record := must(call.Recv()).GetClassification()
	for ; record.Status == assay.Status_STATUS_NEW; record = must(call.Recv()).GetClassification() {
		fmt.Println("at work:", record.GetProgress().GetStep())
	}
	if record.Status != assay.Status_STATUS_DONE {
		log.Fatal(record.Errors)
	}
	fmt.Printf("%s: %s, %v, %s\n", name, record.Verdict.Classification, record.Verdict.Confidence, record.Assessment.State)
}
