"""Submits a file by REST and asks for its record until it has ended: python rest.py FILE [image|video|audio]

Needs `pip install requests` (Debian: python3-requests). REST has no live channel; grpc_client.py follows without asking.
"""
import os
import pathlib
import sys
import time

import requests

URL = os.environ.get("ASSAY_URL", "http://127.0.0.1:8480")
POLL_SECONDS = 0.5
TIMEOUT_SECONDS = 60

session = requests.Session()
session.headers.update({"x-api-key": os.environ.get("ASSAY_API_KEY", ""), "accept": "application/json"})


def call(method, path, **options):
    """A refusal is JSON that names the field at fault; 429 and 503 say in Retry-After when to come again."""
    while True:
        response = session.request(method, URL + path, timeout=TIMEOUT_SECONDS, **options)
        if response.ok:
            return response.json()
        seconds = response.headers.get("retry-after")
        if seconds is None:
            sys.exit(f"{response.status_code}: {response.text}")
        time.sleep(float(seconds))


def main():
    path = pathlib.Path(sys.argv[1])
    kind = sys.argv[2] if len(sys.argv) > 2 else "image"
    resource = f"/api/classification_{kind}"
    # Read whole: requests reads a file of a form into memory anyway, so films of gigabytes go by gRPC or tus.
    identifier = call("POST", resource, files={kind: (path.name, path.read_bytes())})["identifier"]
    record = call("GET", f"{resource}/{identifier}")
    while record["status"] == "new":
        print("still at work", flush=True)
        time.sleep(POLL_SECONDS)
        record = call("GET", f"{resource}/{identifier}")
    if record["status"] == "errored":
        sys.exit(record["errors"])
    verdict = record["verdict"]
    print(f"{path.name}: {verdict['classification']}, {verdict['confidence']}")


main()
