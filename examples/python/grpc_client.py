"""Submits a file by gRPC and follows it in the same call: python grpc_client.py FILE

Needs `pip install grpcio grpcio-tools`, and the protos: `curl -O http://127.0.0.1:8480/proto.zip`.
"""
import os
import pathlib
import sys

import grpc

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, os.environ.get("ASSAY_PROTO", str(HERE.parent.parent / "proto")))
# Compiled as they are imported; a larger program generates them once by `python -m grpc_tools.protoc`.
messages, services = grpc.protos_and_services("assay/v1/classification_service.proto")
records = grpc.protos("assay/v1/classification.proto")
media = grpc.protos("assay/v1/media.proto")
assessments = grpc.protos("assay/v1/assessment.proto")

# The size that transfers fastest; messages of up to 1 MiB are taken.
CHUNK_BYTES = 256 * 1024


def payloads(path):
    """Header, chunks, commit: without the commit the daemon throws away what it got."""
    request = messages.ClassifyMediaRequest
    yield request(header=media.MediaHeader(name=path.name))
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield request(chunk=chunk)
    yield request(commit=media.MediaCommit(size_bytes=path.stat().st_size))


def follow(service, path):
    metadata = [("x-api-key", os.environ.get("ASSAY_API_KEY", ""))]
    for update in service.ClassifyMedia(payloads(path), metadata=metadata):
        record = update.classification
        if record.status == records.STATUS_NEW:
            print(record.progress.step or "accepted", flush=True)
        elif record.status == records.STATUS_ERRORED:
            sys.exit(record.errors)
        else:
            return record
    sys.exit("the stream ended before the record did")


def main():
    path = pathlib.Path(sys.argv[1])
    # A daemon with TLS: grpc.secure_channel(address, grpc.ssl_channel_credentials(the certificate of its authority)).
    with grpc.insecure_channel(os.environ.get("ASSAY_ADDRESS", "127.0.0.1:8481")) as channel:
        record = follow(services.ClassificationServiceStub(channel), path)
    verdict = media.Label.Name(record.verdict.classification)
    state = assessments.AssessmentState.Name(record.assessment.state)
    print(f"{path.name}: {verdict}, {record.verdict.confidence}, {state}")


main()
