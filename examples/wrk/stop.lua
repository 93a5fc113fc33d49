-- Each thread ends after a number of answers: 100, or what stands after `--` on the command line.
--
--   weir wrk -t2 -c4 -d1m -s examples/wrk/stop.lua http://127.0.0.1:7070/hello -- 500

local left

function init(args)
   left = tonumber(args[1]) or 100
end

function response(status, headers, body)
   left = left - 1
   if left == 0 then wrk.thread:stop() end
end
