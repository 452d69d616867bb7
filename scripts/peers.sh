# shellcheck shell=bash
# Other queues, to be measured beside ours. `./dev bench peers` alone builds them: in a folder of their own, from lock
# files of their own, so that neither the product nor its tests ever see them.

need_peers() {
  local root=${CARGO_TARGET_DIR:-$PWD/target}/peers
  need_peer "$root" riverqueue-cli@0.5.0 --no-default-features --features postgres
  need_peer "$root" --path benches/peers
  export ONCEWARD_BENCH_PEERS=$root/bin
}

# need_peer ROOT WHAT…
need_peer() {
  cargo install --quiet --locked --root "$1" --target-dir "$1/build" "${@:2}" || die "not built: ${*:2}"
}
