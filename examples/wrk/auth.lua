-- Signs in first and sends what it was given with every further request.
--
--   weir target &
--   weir wrk -t1 -c4 -d5s -s examples/wrk/auth.lua http://127.0.0.1:7070
--
-- Connections do not wait for each other: those that send before the first answer is there sign in too.

local path = "/cookie/set?session=4711"

function request()
   return wrk.format("GET", path)
end

function response(status, headers, body)
   -- Names of headers are as the server writes them.
   local given = headers["set-cookie"] or headers["Set-Cookie"]
   if path ~= "/cookie" and status == 200 and given then
      wrk.headers["Cookie"] = given:match("^[^;]+")
      path = "/cookie"
   end
end
