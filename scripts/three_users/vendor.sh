#!/bin/sh
# The vendor of a driver: the two drivers of the driver guide, as printed there; one is installed.
set -eu
cd /usr/src/halyard
. scripts/three_users/steps.sh

begin_role "The vendor of a driver"
useradd --create-home vendor
guide=/usr/src/halyard/docs/driver-guide.md
cp -r sample_driver driver_kit /home/vendor
mkdir /home/vendor/acme
cd /home/vendor
printed_block "$guide" sh "## Ten minutes" >ten_minutes.sh
cd acme
printed_block "$guide" c '`acme.c`:' >acme.c
printed_block "$guide" json '`acme.json`:' >acme.json
printed_block "$guide" sh '`acme.json`:' >build.sh
printed_block "$guide" sh 'To install the driver' >install.sh
chown -R vendor: /home/vendor

cd /home/vendor
step "guide: ten minutes to a running driver" as vendor sh -eu ten_minutes.sh
expect my-device
step "halyard check-driver my_driver.json" as vendor halyard check-driver my_driver/my_driver.json
show ' ok, 0 failed'
cd acme
step "guide: acme.c, built, checked and listed" as vendor sh -eu build.sh
expect acme-two
show ' ok, 0 failed'
step "guide: installed" sh -eu install.sh
expect acme-two

step "an app runs on it" as vendor env HALYARD_PLAN_DEVICES=acme-two HALYARD_REPORT=/home/vendor/report \
    /home/developer/hello
expect "11 22 33"
step "its report" cat /home/vendor/report
expect acme-two
