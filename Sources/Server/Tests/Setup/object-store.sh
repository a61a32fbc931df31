#!/usr/bin/env bash
#
# Starts OpenStack Swift with its S3 layer on the loopback interface: an account, a container and an
# object server and a proxy, one process each, with one copy of everything.
#
# Usage: Sources/Server/Tests/Setup/object-store.sh FOLDER          starts it; the first time it downloads some 11 MB
#        Sources/Server/Tests/Setup/object-store.sh --stop FOLDER   stops it; the folder may be deleted then
#
# It prints lines of NAME=VALUE for the shell: LOCOMOTION_S3_ENDPOINT, AWS_ACCESS_KEY_ID,
# AWS_SECRET_ACCESS_KEY, AWS_REGION.
#
# On Debian and its relatives. The packages are unpacked in FOLDER and not installed: no root is
# needed, and nothing outside FOLDER changes. FOLDER must be on a file system with extended
# attributes, as ext4 is.

set -euo pipefail

if [ "${1:-}" = --stop ]; then
  for name in proxy object container account; do
    if [ -f "$2/$name.pid" ]; then
      kill "$(cat "$2/$name.pid")" 2> /dev/null || true
      rm -f "$2/$name.pid"
    fi
  done
  exit 0
fi

folder=$(mkdir -p "$1" && cd "$1" && pwd)
root="$folder/root"
modules="$root/usr/lib/python3/dist-packages"
export PYTHONPATH="$modules" LD_LIBRARY_PATH="$root/usr/lib/$(uname -m)-linux-gnu"

if [ ! -d "$root" ]; then
  packages=$(apt-get install --simulate --no-install-recommends \
    swift-proxy swift-object swift-container swift-account | awk '/^Inst/ {print $2}')
  mkdir -p "$folder/packages" "$root"
  # shellcheck disable=SC2086
  (cd "$folder/packages" && apt-get download $packages > /dev/null 2>&1)
  for package in "$folder"/packages/*.deb; do dpkg --extract "$package" "$root"; done
  sed -i "s#/etc/swift/swift.conf#$folder/swift.conf#" "$modules/swift/common/utils.py"
fi

# port: one that is free now.
port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# configure NAME PORT: the part of a server's configuration that all have.
configure() {
  printf '%s\n' '[DEFAULT]' 'bind_ip = 127.0.0.1' "bind_port = $2" "swift_dir = $folder" \
    "user = $(id -un)" 'workers = 0' "devices = $folder/devices" 'mount_check = false'
}

secret=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
mkdir -p "$folder/devices/one"
if [ ! -f "$folder/swift.conf" ]; then
  printf '%s\n' '[swift-hash]' "swift_hash_path_suffix = $secret" '[storage-policy:0]' \
    'name = one' 'default = yes' > "$folder/swift.conf"
fi
for name in account container object; do
  number=$(port)
  builder="$folder/$name.builder"
  rm -f "$builder"
  for step in 'create 4 1 0' \
    "add --region 1 --zone 1 --ip 127.0.0.1 --port $number --device one --weight 1" rebalance; do
    # shellcheck disable=SC2086
    python3 "$root/usr/bin/swift-ring-builder" "$builder" $step > /dev/null
  done
  {
    configure "$name" "$number"
    printf '%s\n' '[pipeline:main]' "pipeline = $name-server" "[app:$name-server]" \
      "use = egg:swift#$name" 'fallocate_reserve = 0'
  } > "$folder/$name.conf"
done
number=$(port)
{
  configure proxy "$number"
  cat << END
[pipeline:main]
pipeline = catch_errors cache s3api tempauth proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
[filter:tempauth]
use = egg:swift#tempauth
user_archive_collector = $secret .admin
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:catch_errors]
use = egg:swift#catch_errors
END
} > "$folder/proxy.conf"
chmod 600 "$folder/proxy.conf"

for name in account container object proxy; do
  python3 "$root/usr/bin/swift-$name-server" "$folder/$name.conf" \
    > "$folder/$name.log" 2>&1 < /dev/null &
  echo $! > "$folder/$name.pid"
done
for _ in $(seq 600); do
  if (exec 3<> "/dev/tcp/127.0.0.1/$number") 2> /dev/null; then
    printf '%s\n' "LOCOMOTION_S3_ENDPOINT=http://127.0.0.1:$number" AWS_REGION=us-east-1 \
      AWS_ACCESS_KEY_ID=archive:collector "AWS_SECRET_ACCESS_KEY=$secret"
    exit 0
  fi
  sleep 0.2
done
echo "object-store: the proxy does not start; see $folder/proxy.log" >&2
exit 1
