// Submits a file by REST and follows it over GraphQL's server-sent events: go run classify.go FILE [image|video|audio]
// Nothing but Go's own library; grpc/ beside this file is a client of the gRPC interface.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

const query = `{"query": "subscription { classification(identifier: \"%s\") { status errors verdict { classification confidence } } }"}`

type record struct {
	Status, Errors string
	Verdict        map[string]any
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func post(path, contentType, accept string, body io.Reader) io.Reader {
	request, key := must(http.NewRequest("POST", os.Getenv("ASSAY_URL")+path, body)), os.Getenv("ASSAY_API_KEY")
	request.Header = http.Header{"X-Api-Key": {key}, "Content-Type": {contentType}, "Accept": {accept}}
	response := must(http.DefaultClient.Do(request))
	if response.StatusCode != http.StatusOK {
		log.Fatalf("%s: %s", response.Status, must(io.ReadAll(response.Body)))
	}
	return response.Body
}

func main() {
	path, kind := os.Args[1], append(os.Args, "image")[2]
	body, sink := io.Pipe() // Streamed: nothing of the file is held in memory.
	form := multipart.NewWriter(sink)
	go func() {
		must(io.Copy(must(form.CreateFormFile(kind, filepath.Base(path))), must(os.Open(path))))
		sink.CloseWithError(form.Close())
	}()
	identifier := must(io.ReadAll(post("/api/classification_"+kind, form.FormDataContentType(), "text/plain", body)))
	operation := strings.NewReader(fmt.Sprintf(query, identifier))
	lines := bufio.NewScanner(post("/graphql", "application/json", "text/event-stream", operation))
	for lines.Scan() {
		event := &struct{ Data map[string]record }{}
		if data, found := strings.CutPrefix(lines.Text(), "data: {"); found {
			got := must(event, json.Unmarshal([]byte("{"+data), event)).Data["classification"]
			fmt.Println(filepath.Base(path)+":", got.Verdict["classification"], got.Verdict["confidence"], got.Status, got.Errors)
		}
	}
}
