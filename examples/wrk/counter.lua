-- Every request has its own path and header. Each thread has its own state, so each counts for itself.
--
--   weir wrk -t1 -c4 -d5s -s examples/wrk/counter.lua http://127.0.0.1:7070

local sent = 0

function request()
   local text = wrk.format(nil, "/echo?n=" .. sent, { ["X-Counter"] = sent })
   sent = sent + 1
   return text
end
