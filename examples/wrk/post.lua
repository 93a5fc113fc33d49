-- A form, the same each time. Without a function nothing of Lua runs per request.
--
--   weir wrk -t1 -c4 -d5s -s examples/wrk/post.lua http://127.0.0.1:7070/echo

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/x-www-form-urlencoded"
wrk.body = "name=ann&answer=42"
