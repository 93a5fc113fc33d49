-- Looks at each answer: its status, one of its headers, its body.
local good, typed, bytes = 0, 0, 0

function response(status, headers, body)
  if status == 200 then good = good + 1 end
  if headers["Content-Type"] then typed = typed + 1 end
  bytes = bytes + #body
end
