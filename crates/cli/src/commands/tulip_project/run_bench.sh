#!/bin/sh
# Runs the benchmark, prints Tulip's table, and keeps the whole record in benchmark_record.json.
# All flags of `weir run` may follow, such as --time-scale 0.1 to try it out.
cd "$(dirname "$0")" || exit 1
exec "${WEIR:-weir}" run benchmark_config.json --actions actions.yaml --json benchmark_record.json "$@"
