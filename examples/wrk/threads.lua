-- Data goes to the threads before the run and comes back after it.
--
--   weir wrk -t2 -c4 -d5s -s examples/wrk/threads.lua http://127.0.0.1:7070/hello

local threads = {}

function setup(thread)
   table.insert(threads, thread)
   thread:set("name", "thread " .. #threads)
   thread:set("counts", { requests = 0, responses = 0 })
end

function request()
   counts.requests = counts.requests + 1
   return wrk.request()
end

function response()
   counts.responses = counts.responses + 1
end

-- The first thread has made one request more: the one that was looked at before the start.
function done(summary, latency, requests)
   for _, thread in ipairs(threads) do
      local counts = thread:get("counts")
      print(("%s made %d requests and got %d responses"):format(
         thread:get("name"), counts.requests, counts.responses))
   end
end
