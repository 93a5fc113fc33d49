-- Three requests leave at once, and three answers are awaited: a pipeline of depth 3.
--
--   weir wrk -t1 -c4 -d5s -s examples/wrk/pipeline.lua http://127.0.0.1:7070

local batch

function init(args)
   batch = wrk.format("GET", "/hello") .. wrk.format("HEAD", "/file?size=100") .. wrk.format("GET", "/echo")
end

function request()
   return batch
end
