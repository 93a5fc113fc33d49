-- Another path and another header for each request.
local count = 0

function request()
  count = count + 1
  local number = tostring(count)
  return wrk.format("GET", "/hello?" .. number, { ["X-Number"] = number })
end
