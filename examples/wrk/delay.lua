-- Users that think: 10 to 50 ms before each request, in no latency. Ten connections then make about 330 requests per second.
--
--   weir wrk -t1 -c10 -d5s -s examples/wrk/delay.lua http://127.0.0.1:7070/hello

function delay()
   return 10 + math.random(0, 40)
end
