#!/bin/sh
# Judges a release, packed or unpacked: every byte as its list of checksums says, nothing besides, and the list signed.
#   verify.sh [--key PUBLIC_KEY.pem] [--require-signature] ARCHIVE.tar.gz | FOLDER
# The key is the releaser's Ed25519 public key, from elsewhere than the archive; /etc/assay/release.pub where none is named.
set -eu

fail() {
  echo "verify.sh: $1" >&2
  exit 1
}

key=
required=no
subject=
while [ $# -gt 0 ]; do
  case $1 in
  --key)
    [ $# -gt 1 ] || fail "--key: name a file"
    key=$2
    shift
    ;;
  --require-signature) required=yes ;;
  -*) fail "unknown: $1" ;;
  *) subject=$1 ;;
  esac
  shift
done
[ -n "$subject" ] || fail "name an archive or a folder"
if [ -z "$key" ] && [ -e /etc/assay/release.pub ]; then key=/etc/assay/release.pub; fi
if [ -n "$key" ]; then
  [ -r "$key" ] || fail "$key cannot be read"
  required=yes
fi

if [ -d "$subject" ]; then sums=$subject/SHA256SUMS; else sums=$subject.sha256; fi
[ -r "$sums" ] || fail "$sums is not there: this is no release"

if [ -r "$sums.sig" ] && [ -n "$key" ]; then
  command -v openssl >/dev/null || fail "openssl is needed to judge the signature"
  openssl pkeyutl -verify -pubin -inkey "$key" -rawin -in "$sums" -sigfile "$sums.sig" >/dev/null 2>&1 ||
    fail "the signature is not by $key: do not install this"
  echo "signed by $key"
elif [ "$required" = yes ]; then
  [ -r "$sums.sig" ] || fail "it is not signed"
  fail "name the releaser's public key with --key"
else
  echo "verify.sh: nobody says who made it: name the releaser's public key with --key" >&2
fi

if [ ! -d "$subject" ]; then
  (cd "$(dirname "$subject")" && sha256sum --check --strict --quiet "$(basename "$sums")") ||
    fail "$subject is damaged"
  echo "$subject is whole"
  exit 0
fi

cd "$subject"
others=$(find . ! -type f ! -type d | head -n 3)
[ -z "$others" ] || fail "it holds what no release holds: $others"
# Each line: 64 hex digits, two blanks, the path.
besides=$(find . -type f ! -path ./SHA256SUMS ! -path ./SHA256SUMS.sig | cut -c 3- | LC_ALL=C sort |
  { cut -c 67- SHA256SUMS | LC_ALL=C sort | LC_ALL=C comm -13 - /dev/fd/3; } 3<&0 | head -n 3)
[ -z "$besides" ] || fail "it holds files that are not on its list: $besides"
sha256sum --check --strict --quiet SHA256SUMS || fail "it is damaged"
echo "$(wc -l <SHA256SUMS) files are whole"
