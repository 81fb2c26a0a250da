/**
 * The sliding windows of rate limits in Redis or Valkey, as Lua that Redis runs without interruption. It needs Redis 5 or later.
 *
 * A window is a hash. Its entries are numbered in the order of time; there is one for each millisecond in which something was counted. The
 * field `window` has the numbers of the first and last entry, the sum of all, the time of the first, and time and amount of the last; the
 * field of an entry's number has its time and amount. 256 entries are a block, whose field has their sum: so a window with tens of thousands
 * of entries is read by some hundred steps. A window expires a minute after its last entry.
 *
 * Times come from the clock of Redis. Where its clock was set back, time stands still for a window until the clock has caught up; a window that is
 * further ahead than its length begins anew.
 */
import { createHash } from "node:crypto";

export interface Script {
  readonly source: string;
  /** SHA-1 of the source in hexadecimal, by which Redis knows the script. */
  readonly sha: string;
}

/** ARGV[1] is the time to count at; "": the time of Redis. */
const windows = `
local function int(number) return string.format('%.0f', number) end

local list, byKey = {}, {}

-- Entries of a block.
local size = 256

local function findBlock(number) return math.floor((number - 1) / size) end

local function nameSum(block) return 'sum ' .. int(block) end

local function clear(window)
  if window.exists then redis.call('DEL', window.key) end
  window.exists, window.first, window.last, window.used, window.dirty = false, 1, 0, 0, false
end

local function open(key, span)
  local window = byKey[key]
  if window then return window end
  window = { key = key, span = span, first = 1, last = 0, used = 0, exists = false, dirty = false }
  local state = redis.call('HGET', key, 'window')
  if state then
    local first, last, used, from, at, amount = string.match(state, '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+)$')
    window.exists = true
    window.first, window.last, window.used = tonumber(first), tonumber(last), tonumber(used)
    window.firstTime, window.lastTime, window.lastAmount = tonumber(from), tonumber(at), tonumber(amount)
  end
  byKey[key] = window
  list[#list + 1] = window
  return window
end

local function isEmpty(window) return window.first > window.last end

-- Returns times and amounts of the entries from one number to another.
local function read(window, from, to)
  local fields = {}
  for number = from, to do fields[#fields + 1] = int(number) end
  local entries = redis.call('HMGET', window.key, unpack(fields))
  local times, amounts = {}, {}
  for index = 1, #entries do
    local time, amount = string.match(entries[index] or '0 0', '^(%S+) (%S+)$')
    times[index], amounts[index] = tonumber(time), tonumber(amount)
  end
  return times, amounts
end

local function now()
  local time = tonumber(ARGV[1])
  if not time then
    local clock = redis.call('TIME')
    time = clock[1] * 1000 + math.floor(clock[2] / 1000)
  end
  local latest = time
  for _, window in ipairs(list) do
    if not isEmpty(window) and window.lastTime > time then
      if window.lastTime - time < window.span then latest = math.max(latest, window.lastTime) else clear(window) end
    end
  end
  return latest
end

-- Removes a block whose entries have expired.
local function removeBlock(window, block, ending)
  local fields = { nameSum(block) }
  window.used = window.used - tonumber(redis.call('HGET', window.key, fields[1]))
  for number = window.first, ending do fields[#fields + 1] = int(number) end
  redis.call('HDEL', window.key, unpack(fields))
  window.first = ending + 1
end

-- Removes the entries of a block that have expired.
local function removeSome(window, block, ending, limit)
  local times, amounts = read(window, window.first, ending)
  local gone, sum = {}, 0
  for index = 1, #times do
    window.firstTime = times[index]
    if times[index] > limit then break end
    sum = sum + amounts[index]
    gone[#gone + 1] = int(window.first)
    window.first = window.first + 1
  end
  window.used = window.used - sum
  redis.call('HDEL', window.key, unpack(gone))
  redis.call('HINCRBY', window.key, nameSum(block), int(-sum))
end

-- Removes what has expired.
local function slide(window, time)
  local limit = time - window.span
  if not isEmpty(window) and window.lastTime <= limit then clear(window) end
  while not isEmpty(window) and window.firstTime <= limit do
    local block = findBlock(window.first)
    local ending = (block + 1) * size
    local times = ending < window.last and read(window, ending, ending + 1) or {}
    if times[1] and times[1] <= limit then
      removeBlock(window, block, ending)
      window.firstTime = times[2]
    else
      removeSome(window, block, math.min(ending, window.last), limit)
    end
    window.dirty = true
  end
end

local function add(window, amount, time)
  if amount == 0 then return end
  if isEmpty(window) then window.firstTime = time end
  if isEmpty(window) or window.lastTime ~= time then
    window.last, window.lastTime, window.lastAmount = window.last + 1, time, 0
  end
  window.lastAmount = window.lastAmount + amount
  window.used = window.used + amount
  window.dirty = true
  -- Written now, because a later entry could follow it.
  redis.call('HSET', window.key, int(window.last), int(time) .. ' ' .. int(window.lastAmount))
  redis.call('HINCRBY', window.key, nameSum(findBlock(window.last)), int(amount))
  window.exists = true
end

-- Subtracts from what was counted at a time; nothing when that has expired.
local function giveBack(window, amount, time)
  if amount == 0 or isEmpty(window) or time < window.firstTime or time > window.lastTime then return end
  local low, high = window.first, window.last
  while low < high do
    local middle = math.floor((low + high) / 2)
    local times = read(window, middle, middle)
    if times[1] < time then low = middle + 1 else high = middle end
  end
  local times, amounts = read(window, low, low)
  if times[1] ~= time then return end
  window.used = window.used - amount
  window.dirty = true
  redis.call('HSET', window.key, int(low), int(time) .. ' ' .. int(amounts[1] - amount))
  redis.call('HINCRBY', window.key, nameSum(findBlock(low)), int(-amount))
  if low < window.last then return end
  window.lastAmount = amounts[1] - amount
  -- The last entry says when the window ends.
  while not isEmpty(window) and window.lastAmount <= 0 do
    redis.call('HDEL', window.key, int(window.last))
    window.last = window.last - 1
    if not isEmpty(window) then
      local before, counted = read(window, window.last, window.last)
      window.lastTime, window.lastAmount = before[1], counted[1]
    end
  end
  if isEmpty(window) then clear(window) end
end

-- Returns the first time at which the sum is at most a number; -1 when it is so now.
local function fallsAt(window, most)
  local used, first = window.used, findBlock(window.first)
  if used <= most then return -1 end
  local fields = {}
  for block = first, findBlock(window.last) do fields[#fields + 1] = nameSum(block) end
  local sums = redis.call('HMGET', window.key, unpack(fields))
  for index = 1, #sums do
    local sum = tonumber(sums[index] or 0)
    if used - sum <= most then
      local from, to = (first + index - 1) * size + 1, (first + index) * size
      local times, amounts = read(window, math.max(from, window.first), math.min(to, window.last))
      for entry = 1, #times do
        used = used - amounts[entry]
        if used <= most then return times[entry] + window.span end
      end
    end
    used = used - sum
  end
  return -1
end

local function write()
  for _, window in ipairs(list) do
    if window.dirty then
      local numbers = { window.first, window.last, window.used, window.firstTime, window.lastTime, window.lastAmount }
      for index = 1, #numbers do numbers[index] = int(numbers[index]) end
      redis.call('HSET', window.key, 'window', table.concat(numbers, ' '))
      redis.call('PEXPIRE', window.key, window.span + 60000)
    end
  end
end
`;

/**
 * Counts all of the wanted demands, or none, and then gives back the earlier ones.
 * KEYS: the quotas of the earlier demands, then of the wanted ones. ARGV: the time; when the earlier ones were counted; how many there
 * are; for each demand the length of its window, its limit and its amount.
 * Returns the time, 1 when the demands were counted, and for each demand what is used, when the last entry expires, and when the
 * amount fits; -1: none, or not known.
 */
export const take = createScript(`${windows}
local earlierAt, earlier = tonumber(ARGV[2]), tonumber(ARGV[3])
local demands = {}
for index = 1, #KEYS do
  local at = 1 + 3 * index
  demands[index] = { window = open(KEYS[index], tonumber(ARGV[at])), most = tonumber(ARGV[at + 1]), amount = tonumber(ARGV[at + 2]) }
end
local time = now()
for _, window in ipairs(list) do slide(window, time) end
local taken = true
for index = earlier + 1, #demands do
  local demand = demands[index]
  if demand.window.used + demand.amount > demand.most then taken = false end
end
if taken then
  for index = earlier + 1, #demands do add(demands[index].window, demands[index].amount, time) end
else
  for index = 1, earlier do giveBack(demands[index].window, demands[index].amount, earlierAt) end
end
write()
local found = { time, taken and 1 or 0 }
for _, demand in ipairs(demands) do
  local window = demand.window
  found[#found + 1] = window.used
  found[#found + 1] = isEmpty(window) and -1 or window.lastTime + window.span
  found[#found + 1] = (taken or demand.amount > demand.most) and -1 or fallsAt(window, demand.most - demand.amount)
end
return found
`);

/** KEYS: quotas. ARGV: the time, the difference, when it was counted, and for each quota the length of its window. */
export const correct = createScript(`${windows}
local difference, countedAt = tonumber(ARGV[2]), tonumber(ARGV[3])
for index = 1, #KEYS do open(KEYS[index], tonumber(ARGV[3 + index])) end
local time = now()
for _, window in ipairs(list) do
  slide(window, time)
  if difference > 0 then add(window, difference, time) else giveBack(window, -difference, countedAt) end
end
write()
return 1
`);

function createScript(source: string): Script {
  return { source, sha: createHash("sha1").update(source).digest("hex") };
}
