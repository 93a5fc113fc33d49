-- A report of one's own, after the usual one: percentiles as CSV.
--
--   weir wrk -t1 -c4 -d5s -s examples/wrk/report.lua http://127.0.0.1:7070/hello

function done(summary, latency, requests)
   print("percentile,us")
   for _, percent in ipairs { 50, 90, 99, 99.9 } do
      print(("%g,%d"):format(percent, latency:percentile(percent)))
   end
   local errors = summary.errors
   local failed = errors.connect + errors.read + errors.write + errors.timeout
   print(("%d requests, %d bytes, %d failed, in %d us"):format(
      summary.requests, summary.bytes, failed, summary.duration))
end
