#!/bin/sh
# Submits a file by REST and follows it over GraphQL's server-sent events: sh classify.sh FILE [image|video|audio]
# Needs curl and sed.
set -eu
file=${1:?which file? sh classify.sh FILE [image|video|audio]}
kind=${2:-image}
url=${ASSAY_URL:-http://127.0.0.1:8480}
: "${ASSAY_API_KEY:?the account\'s key}"

# The key goes in by standard input: arguments are shown to every user of the box.
call() {
  printf 'header = "x-api-key: %s"\n' "$ASSAY_API_KEY" | curl --silent --show-error --fail-with-body --config - "$@"
}

# Of a JSON object in one line: the first value of a field.
field() {
  sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"
}

identifier=$(call --form "$kind=@$file" "$url/api/classification_$kind") ||
  { echo "$identifier" >&2 && exit 1; }
fields='status errors progress { step } verdict { classification confidence }'
query="subscription { classification(identifier: \\\"$identifier\\\") { $fields } }"

# Each change is a line "data: {…}"; the stream ends with the record.
call --no-buffer --header 'content-type: application/json' --header 'accept: text/event-stream' \
  --data "{\"query\":\"$query\"}" "$url/graphql" |
  sed -n 's/^data: \({.*\)/\1/p' |
  while read -r record; do
    case $(echo "$record" | field status) in
      NEW) echo "${step:=$(echo "$record" | field step)}" && step= ;;
      DONE)
        verdict=$(echo "$record" | sed -n 's/.*"verdict"://p')
        echo "${file##*/}: $(echo "$verdict" | field classification), $(echo "$verdict" | field confidence)"
        ;;
      *) echo "$record" >&2 && exit 1 ;;
    esac
  done
