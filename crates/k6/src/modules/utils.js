// In the place of jslib's k6-utils: small helpers under their names.
import { check as checkNow } from 'k6';
import exec from 'k6/execution';

export function uuidv4(secure = false) {
  if (secure) return crypto.randomUUID();
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (letter) => {
    const digit = Math.floor(Math.random() * 16);
    return (letter === 'x' ? digit : (digit % 4) + 8).toString(16);
  });
}
export const randomIntBetween = (min, max) => Math.floor(Math.random() * (max - min + 1) + min);
export const randomItem = (list) => list[Math.floor(Math.random() * list.length)];
export function randomString(length, charset = 'abcdefghijklmnopqrstuvwxyz') {
  let text = '';
  while (length-- > 0) text += charset[Math.floor(Math.random() * charset.length)];
  return text;
}
export function findBetween(content, left, right, repeat = false) {
  const found = [];
  for (let at = 0; ;) {
    const begin = content.indexOf(left, at);
    const end = begin < 0 ? -1 : content.indexOf(right, begin + left.length);
    if (end < 0) return repeat ? found : null;
    const text = content.slice(begin + left.length, end);
    if (!repeat) return text;
    found.push(text);
    at = end + right.length;
  }
}
export function parseDuration(text) {
  const factors = { d: 86400000, h: 3600000, m: 60000, s: 1000, ms: 1 };
  if (/^[0-9]+(\.[0-9]+)?$/.test(text)) return Math.trunc(Number(text));
  const seen = [];
  let total = 0;
  const rest = String(text).replace(/([0-9]+(?:\.[0-9]+)?)(ms|[dhms])/g, (_, count, unit) => {
    if (seen.includes(unit)) throw new Error(`the unit ${unit} is there twice`);
    seen.push(unit);
    total += Number(count) * factors[unit];
    return '';
  });
  if (rest !== '' || seen.length === 0) throw new Error(`${text} is not a valid time duration`);
  return Math.trunc(total);
}
// The stages of the user's scenario, and when each ends, ms after its start. Read once: a user has one scenario, and options are frozen.
let known;
function stages() {
  if (known) return known;
  const { stages } = exec.test.options.scenarios[exec.scenario.name];
  if (!stages || stages.length === 0) throw new Error(`the scenario ${exec.scenario.name} has no stages`);
  let end = 0;
  return known = stages.map(({ duration, target }) => ({ target, end: end += parseDuration(duration) }));
}
export function getCurrentStageIndex() {
  const all = stages();
  const elapsed = Date.now() - exec.scenario.startTime;
  for (let index = 0; index < all.length; index += 1) if (elapsed < all[index].end) return index;
  return all.length - 1;
}
export function tagWithCurrentStageIndex() { exec.vu.metrics.tags.stage = getCurrentStageIndex(); }
export function tagWithCurrentStageProfile() {
  const [all, index] = [stages(), getCurrentStageIndex()];
  const [before, now] = [index === 0 ? -1 : all[index - 1].target, all[index].target];
  exec.vu.metrics.tags.stage_profile = now > before ? 'ramp-up' : now === before ? 'steady' : 'ramp-down';
}
export function normalDistributionStages(maxVus, seconds, stages = 10) {
  // A bell from two deviations before its middle to two behind it, then nothing; what leads to its ends takes a third of the time.
  const heights = Array.from({ length: stages + 1 }, (_, at) => Math.exp(-((-2 + (4 * at) / stages) ** 2) / 2));
  const peak = Math.max(...heights);
  const [outer, inner] = [Math.ceil(seconds / 6), Math.ceil((4 * seconds) / (6 * stages))];
  const made = heights.map((height, at) => ({ duration: `${at === 0 ? outer : inner}s`, target: Math.round((maxVus * height) / peak) }));
  return [...made, { duration: `${outer}s`, target: 0 }];
}
// As the module k6 has it, and a promise if one of the functions gives one.
export function check(value, sets, tags) {
  const found = Object.entries(sets).map(([name, test]) => [name, typeof test === 'function' ? test(value) : test]);
  if (!found.some(([, result]) => result instanceof Promise)) return checkNow(value, Object.fromEntries(found.map(([name, result]) => [name, Boolean(result)])), tags);
  return Promise.all(found.map(async ([name, result]) => checkNow(value, { [name]: Boolean(await result) }, tags))).then((all) => all.every(Boolean));
}
