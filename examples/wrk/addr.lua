-- Threads go to different addresses of the host: each gets the next one that accepts connections.
--
--   weir wrk -t2 -c4 -d5s -s examples/wrk/addr.lua http://localhost:7070/hello

local usable
local given = 0

function setup(thread)
   if not usable then
      usable = {}
      for _, addr in ipairs(wrk.lookup(wrk.host, wrk.port or wrk.scheme)) do
         if wrk.connect(addr) then table.insert(usable, addr) end
      end
   end
   thread.addr = usable[given % #usable + 1]
   given = given + 1
end

function init(args)
   print("this thread goes to " .. tostring(wrk.thread.addr))
end
