#!/bin/sh
# Installs tern for one user, without root.
#   sh install.sh [FROM]      FROM: a folder or an address that has the archive; default: the folder of this script
#   PREFIX=…                  where to; default: ~/.local
# The archive must have the SHA-256 that is written below; otherwise nothing is installed.
set -eu
version=@VERSION@
prefix=${PREFIX:-$HOME/.local}

die() { echo "install.sh: $*" >&2; exit 1; }

sums='@SUMS@'
sum=$(printf '%s\n' "$sums" | sed -n "s/^$(uname -s)-$(uname -m) //p")
[ -n "$sum" ] || die "there is no binary for $(uname -s) on $(uname -m); build from source: app/install"
archive=tern-$version-linux-$(uname -m).tar.gz
from=${1:-$(dirname "$0")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $from in
  https://* | http://127.0.0.1* | http://localhost*)
    if command -v curl >/dev/null 2>&1; then curl -fsSL -o "$work/$archive" "$from/$archive" || die "cannot fetch $from/$archive"
    else wget -q -O "$work/$archive" "$from/$archive" || die "cannot fetch $from/$archive"; fi ;;
  http://*) die "an address must begin with https://" ;;
  *) [ -f "$from/$archive" ] || die "there is no $archive in $from; name the folder or the address that has it: sh install.sh FROM"
    cp "$from/$archive" "$work/$archive" ;;
esac
is=$(sha256sum "$work/$archive" | cut -d' ' -f1)
[ "$is" = "$sum" ] || die "$archive has the SHA-256 $is and not $sum; nothing was installed"

tar -xzf "$work/$archive" -C "$work"
mkdir -p "$prefix/bin" "$prefix/share"
cp -R "$work/tern-$version/share/." "$prefix/share/"
cp "$work/tern-$version/bin/tern" "$prefix/bin/tern.new"
if ! "$prefix/bin/tern.new" --version >/dev/null 2>&1; then
  missing=$(ldd "$prefix/bin/tern.new" 2>&1 | sed -n 's/^[[:space:]]*\([^ ]*\) => not found.*/\1/p; s/.*version .\(GLIBC[^ ]*\). not found.*/\1/p' | sort -u | tr '\n' ' ')
  rm -f "$prefix/bin/tern.new"
  die "the binary does not run here${missing:+, it needs: $missing}(install that, or build from source with app/install)"
fi
mv -f "$prefix/bin/tern.new" "$prefix/bin/tern"  # a running tern keeps its old file
echo "Installed $prefix/bin/tern, version $version."
case ":$PATH:" in *":$prefix/bin:"*) ;; *) echo "Add $prefix/bin to your PATH." ;; esac
