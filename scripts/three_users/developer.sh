#!/bin/sh
# The developer of an app: builds and installs Halyard as the README says, and a first app.
set -eu
cd /usr/src/halyard
. scripts/three_users/steps.sh

begin_role "The developer of an app"
useradd --create-home developer
packages=$(printed_line README.md 'apt-get install')
install=$(printed_line README.md 'meson install')
step "apt-get update" apt-get -qq update
step "README: apt-get install …" env DEBIAN_FRONTEND=noninteractive sh -c "$packages --yes -qq"
step "README: meson setup …, ninja, meson install" sh -c "$install"

cp examples/hello.c /home/developer
cd /home/developer
compile=$(printed_line hello.c 'cc ')
chown developer: .
step "hello.c: cc hello.c \$(pkg-config …)" as developer sh -euc "$compile"
step "./hello" as developer ./hello
expect "11 22 33"
show .

cd /usr/src/halyard
step "README: ./demo" ./demo
expect "halyard-sample"
show '^ *1  *7\b\|^ *seven\|^ *7 '
