-- What every state of a script has before the script's file runs: the table `wrk`, and for Weir the calls into the script.
--
-- It gets the table's first values, the names of `-H` in their order, and what is not written in Lua; it returns the calls. Scripts
-- may replace anything in `wrk` and any global at any time, so both are looked up at each call. Locals are what must stay as it is.

local facts, names, native = ...
local G, collectgarbage, error, getmetatable, jit, loadstring, newproxy, next, pairs, setmetatable, table, tostring, type =
   _G, collectgarbage, error, getmetatable, jit, loadstring, newproxy, next, pairs, setmetatable, table, tostring, type
local stdout = io.stdout
local flush = stdout.flush
local buffer = require("string.buffer").new()

-- Where distributions put what their own LuaJIT finds, beside the usual places.
local triples = { x64 = "x86_64-linux-gnu", arm64 = "aarch64-linux-gnu" }
package.path = package.path .. ";/usr/share/lua/5.1/?.lua;/usr/share/lua/5.1/?/init.lua"
package.cpath = package.cpath .. ";/usr/lib/" .. (triples[jit.arch] or jit.arch) .. "/lua/5.1/?.so;/usr/lib/lua/5.1/?.so"

wrk = facts
wrk.time_us = native.time_us

-- What scripts hold of Weir's are userdata, as in wrk, but made here: see the module's notes on LuaJIT and Rust's own kind.
local function object(metatable)
   local made = newproxy(true)
   for name, value in pairs(metatable) do getmetatable(made)[name] = value end
   return made
end

-- Addresses: to Weir their text, to scripts an object that prints it.
local texts = setmetatable({}, { __mode = "k" })
local address = object {
   __tostring = function(self) return texts[self] end,
   __eq = function(a, b) return texts[a] == texts[b] end,
}

local function to_address(text)
   if not text then return nil end
   local made = newproxy(address)
   texts[made] = text
   return made
end

local function text_of(value)
   return texts[value] or error("an address of wrk.lookup expected, got " .. type(value), 3)
end

function wrk.lookup(host, service)
   local found = native.lookup(host, service)
   for i = 1, #found do found[i] = to_address(found[i]) end
   return found
end

function wrk.connect(addr) return native.connect(text_of(addr)) end

local function put_header(name, value)
   local kind = type(value)
   if kind == "string" or kind == "number" then
      buffer:put(name, ": ", value, "\r\n")
   elseif kind == "table" then
      -- A header given several times with -H stays several lines.
      for i = 1, #value do put_header(name, value[i]) end
   else
      buffer:put(name, ": ", tostring(value), "\r\n")
   end
end

-- Host first, then the names of -H in their order; all others as the table has them. The code is made for the names and without a
-- loop over the usual number of headers: LuaJIT compiles no call with a loop inside.
local UNROLLED = 12
local listed = { Host = true }
local code = {}
for i = 1, #names do
   if not listed[names[i]] then
      listed[names[i]] = true
      code[#code + 1] = ("value = headers[%q] if value ~= nil then put(%q, value) end"):format(names[i], names[i])
   end
end
for _ = 1, UNROLLED do
   code[#code + 1] = "name, value = next(headers, name) if name == nil then return end"
   code[#code + 1] = "if not listed[name] then put(name, value) end"
end
local function put_rest(headers, name)
   for name, value in next, headers, name do
      if not listed[name] then put_header(name, value) end
   end
end
local put_headers = loadstring(
   "local next, listed, put, put_rest = ... return function(headers) local name, value " ..
   table.concat(code, " ") .. " put_rest(headers, name) end", "=(weir headers)")(next, listed, put_header, put_rest)

function wrk.format(method, path, headers, body)
   local wrk = wrk
   method, path = method or wrk.method, path or wrk.path
   headers, body = headers or wrk.headers, body or wrk.body
   local host = headers.Host
   if not host and not headers.host then
      host = wrk.headers.Host
      headers.Host = host
   end
   if body then
      body = type(body) == "string" and body or tostring(body)
      headers["Content-Length"] = #body
   elseif headers["Content-Length"] ~= nil then
      headers["Content-Length"] = nil
   end
   buffer:reset():put(method, " ", path, " HTTP/1.1\r\n")
   if host then put_header("Host", host) end
   put_headers(headers)
   return buffer:put("\r\n", body or ""):tostring()
end

-- The usable addresses of the URL's host, kept in wrk.addrs.
function wrk.resolve(host, service)
   local usable = {}
   for _, addr in pairs(wrk.lookup(host, service)) do
      if wrk.connect(addr) then usable[#usable + 1] = addr end
   end
   wrk.addrs = usable
end

function wrk.setup(thread)
   thread.addr = wrk.addrs and wrk.addrs[1]
   if type(G.setup) == "function" then G.setup(thread) end
end

function wrk.init(args)
   local headers = wrk.headers
   if not headers.Host and not headers.host then
      local host, port = wrk.host, wrk.port
      if host:find(":", 1, true) then host = "[" .. host .. "]" end
      headers.Host = port and host .. ":" .. port or host
   end
   if type(G.init) == "function" then G.init(args) end
   local text = wrk.format()
   wrk.request = function() return text end
end

-- While a state is small its garbage may grow to three times what is in use before it is collected: a third of the work of
-- the usual one time, for a MB or two. What a script has set itself stays.
local SMALL_KB, PAUSE, PAUSE_USUAL = 1024, 400, 200

local calls = {}

function calls.settle()
   if collectgarbage("count") > SMALL_KB then return end
   local before = collectgarbage("setpause", PAUSE)
   if before ~= PAUSE_USUAL then collectgarbage("setpause", before) end
end

function calls.defines(name) return type(G[name]) == "function" end
function calls.resolve(host, service) wrk.resolve(host, service) return #wrk.addrs end
function calls.setup(thread) wrk.setup(thread) end
function calls.init(args) wrk.init(args) end
local function as_text(value)
   if type(value) == "number" then return tostring(value) end
   error("request gave a " .. type(value) .. ", and must give a string", 0)
end

function calls.fixed()
   local text = wrk.request()
   return type(text) == "string" and text or as_text(text)
end

function calls.request()
   local text = G.request()
   return type(text) == "string" and text or as_text(text)
end

function calls.delay() return (G.delay()) end
function calls.done(summary, latency, requests) G.done(summary, latency, requests) end

-- A thread as scripts see it; `native` reaches its state and its worker.
function calls.thread(native)
   local methods = {
      get = function(_, name) return native.get(name) end,
      set = function(_, name, value) native.set(name, value) end,
      stop = function() native.stop() end,
   }
   return object {
      __index = function(_, key)
         if key == "addr" then return to_address(native.address()) end
         return methods[key]
      end,
      __newindex = function(_, key, value)
         if key ~= "addr" then error("a thread has no field " .. tostring(key) .. " that can be set", 2) end
         native.set_address(value and text_of(value))
      end,
   }
end

-- A distribution as scripts see it: latency(i) and #latency as in wrk, latency[i] as in wrk2.
function calls.statistics(fields, native)
   fields.percentile = function(_, percent) return native.percentile(percent) end
   return object {
      __index = function(_, key)
         if type(key) == "number" then return native.percentile(100 * key / native.count) end
         return fields[key]
      end,
      __len = function() return native.length end,
      __call = function(_, index) return native.distinct(index) end,
   }
end
function calls.flush() flush(stdout) end

-- A script may take its `response` away while it runs.
function calls.response(status, headers, body)
   local response = G.response
   if response then response(status, headers, body) end
end

-- For heads that come again and again: a function that makes their table anew each time, which LuaJIT does by one copy.
function calls.learn(headers)
   local code = {}
   for name, value in pairs(headers) do code[#code + 1] = ("[%q]=%q"):format(name, value) end
   local copy = loadstring("return { " .. table.concat(code, ",") .. " }", "=(weir head)")
   local function repeated(status, body)
      local response = G.response
      if response then response(status, copy(), body) end
   end
   -- Left to the interpreter: compiled code would be tied to one head, and heads change with each second's date.
   jit.off(repeated)
   jit.off(copy)
   return repeated
end

return calls
