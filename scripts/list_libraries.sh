#!/bin/sh
# Brings the loader's list of libraries up to date after `meson install`.
#
#   list_libraries.sh FOLDER
#
# Does nothing for a package (DESTDIR), without root, and where FOLDER is none of the loader's.
PATH=$PATH:/usr/sbin:/sbin
[ -z "${DESTDIR-}" ] && [ "$(id -u)" -eq 0 ] && command -v ldconfig >/dev/null || exit 0
ldconfig -Nv 2>/dev/null | grep -q "^$1:" || exit 0
ldconfig
