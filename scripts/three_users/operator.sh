#!/bin/sh
# The operator of a service: serves the vendor's driver by its name, and upgrades it under two apps.
set -eu
cd /usr/src/halyard
. scripts/three_users/steps.sh

longest_outage=250 # milliseconds

# comes WHAT COMMAND…: waits for it, ten seconds at most.
comes() {
    what=$1
    shift
    for _ in $(seq 200); do
        ! "$@" || return 0
        sleep 0.05
    done
    echo "$what did not come"
    return 1
}

serves() {
    grep -q "(acme-two: version $1" log
}

# What the unit runs, as docs/services.md has it for a machine without systemd.
start_service() {
    HALYARD_LOG=info:service halyard-driverd acme --socket-mode 666 2>>log &
    service=$!
}

# As docs/services.md says. The old build is there until it has ended.
upgrade() {
    drivers=$(pkg-config --variable=driverdir neuralnetworks)
    install -m 644 libacme_two.so "$drivers/.libacme_two.so.new"
    mv "$drivers/.libacme_two.so.new" "$drivers/libacme_two.so"
    kill "$service"
    tail --pid="$service" -s 0.01 -f /dev/null
    start_service
}

# answers APP COUNT: the app has so many more hundreds of right answers than when it was `noted`.
note() {
    noted=$(wc -l <"$1.out")
}
answers() {
    [ "$(wc -l <"$1.out")" -ge $((noted + $2)) ]
}

begin_role "The operator of a service"
mkdir -p /var/lib/operator /run/halyard /etc/halyard/drivers.d
for app in app_one app_two; do
    id $app >/dev/null 2>&1 || useradd --create-home $app
done
cd /var/lib/operator
cp /usr/src/halyard/scripts/three_users/app.c .
build=$(printed_line app.c 'cc ')
step "an app, built" sh -euc "$build"
step "the manifest, with a socket" sh -c 'sed "s|\"name\"|\"socket\": \"/run/halyard/acme\", \"name\"|" \
    "$(pkg-config --variable=manifestdir neuralnetworks)/acme.json" >/etc/halyard/drivers.d/acme.json'
step "apt-get install systemd" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends systemd
step "systemd-analyze verify" systemd-analyze verify --man=no halyard-driverd@acme.service halyard-driverd@acme.socket

: >log
start_service
step "halyard-driverd acme" comes "the service" serves 1.0
step "halyard devices" as app_one halyard devices
expect "/run/halyard/acme"

export HALYARD_PLAN_DEVICES=acme-two HALYARD_LOG=error
as app_one ./app >one.out 2>one.err &
one=$!
as app_two ./app --burst >two.out 2>two.err &
two=$!
for app in one two; do
    noted=0
    step "app $app answers" comes "an answer of app $app" answers $app 5
done

sed 's/\.version = "1\.0"/.version = "1.1"/' /home/vendor/acme/acme.c >acme.c
build=$(grep '^cc ' /home/vendor/acme/build.sh)
step "acme-two 1.1, built" sh -euc "$build"
upgrade
step "acme-two 1.1, in the place of 1.0" comes "the new service" serves 1.1
for app in one two; do
    note $app
    step "app $app goes on" comes "an answer of app $app" answers $app 5
done
kill $one $two
wait $one $two

for app in one two; do
    echo "      app $app: $(tail -n 1 $app.out)"
    grep -q ', wrong 0, failed 0, ' $app.out || {
        cat $app.err log
        exit 1
    }
    pause=$(sed -n 's/.*longest pause \([0-9]*\) ms/\1/p' $app.out)
    [ "$pause" -le $longest_outage ] || {
        echo "      more than $longest_outage ms"
        exit 1
    }
done
kill $service
wait $service
sed 's/^/      /' log
