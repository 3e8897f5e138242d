// The live page: fetches the series every few seconds and draws them. All texts of the service are set as text, never as
// HTML.
'use strict';

const INTERVAL = 3000; // milliseconds between two fetches
const MAX_ROWS = 200; // rows of the list of series
const MAX_MAP = 40; // hosts of a heat map
const HOST_QUANTITIES = [
  ['availability', 'Availability'], ['load', 'Load'], ['cpu_pressure', 'CPU pressure'], ['memory_pressure', 'Memory pressure'],
  ['io_pressure', 'I/O pressure'], ['memory_free', 'Free memory'], ['swap_free', 'Free swap'],
];

// The series that the address names behind #, so that a link can lead to it.
const named = () => { try { return decodeURIComponent(location.hash.slice(1)) || null; } catch { return null; } };
let selected = named();
let series = [];

const element = id => document.getElementById(id);

// An element with a class and children: elements or texts.
function make(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

// A number with three digits and its unit.
function quantity(value, unit) {
  if (value === null || value === undefined) return '–';
  const scaled = (factor, names) => {
    let rest = Math.abs(value), k = 0;
    while (rest >= factor && k < names.length - 1) { rest /= factor; k += 1; }
    return digits(Math.sign(value) * rest) + ' ' + names[k];
  };
  if (unit === 'bytes') return scaled(1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']);
  if (unit === 'bytes/s') return scaled(1000, ['B/s', 'kB/s', 'MB/s', 'GB/s', 'TB/s']);
  if (unit === 'seconds') {
    const magnitude = Math.abs(value);
    if (magnitude >= 1 || magnitude === 0) return digits(value) + ' s';
    return magnitude >= 1e-3 ? digits(value * 1e3) + ' ms' : digits(value * 1e6) + ' µs';
  }
  return digits(value);
}

function digits(value) {
  const magnitude = Math.abs(value);
  if (magnitude !== 0 && (magnitude < 1e-3 || magnitude >= 1e6)) return value.toExponential(2);
  return String(Number(value.toPrecision(3)));
}

function duration(seconds) {
  if (seconds < 120) return Math.round(seconds) + ' s';
  return seconds < 7200 ? Math.round(seconds / 60) + ' min' : Math.round(seconds / 3600) + ' h';
}

// The age of the last sample of a series, or by how much it is ahead.
function age(state) {
  if (!state.last) return '–';
  return state.last.ahead > 1 ? duration(state.last.ahead) + ' ahead' : duration(state.last.age);
}

// The text of a forecast: value and interval.
function forecastText(state) {
  const forecast = state.forecast;
  if (!forecast) return 'no forecast';
  const value = quantity(forecast.value, state.unit);
  if (forecast.low === null) return value + ' (no interval)';
  return `${value} (${quantity(forecast.low, state.unit)} to ${quantity(forecast.high, state.unit)})`;
}

// Fetches JSON; a token that is refused is asked for again.
async function load(path) {
  const token = sessionStorage.getItem('token');
  const headers = token ? { Authorization: 'Bearer ' + token } : {};
  const response = await fetch(path, { headers, cache: 'no-store' });
  if (response.status === 401) {
    sessionStorage.removeItem('token');
    element('login').hidden = false;
    throw new Error('a token is needed');
  }
  const body = await response.json();
  if (!response.ok) throw new Error(body.error.message);
  return body;
}

function header(cells) {
  const row = make('tr', '', ...cells.map(text => make('th', '', text)));
  return make('thead', '', row);
}

function drawHosts() {
  const hosts = new Map();
  const shown = new Set();
  for (const state of series) {
    if (state.target !== undefined || !HOST_QUANTITIES.some(([name]) => name === state.quantity)) continue;
    if (!hosts.has(state.host)) hosts.set(state.host, new Map());
    hosts.get(state.host).set(state.quantity, state);
    shown.add(state.quantity);
  }
  const columns = HOST_QUANTITIES.filter(([name]) => shown.has(name));
  const body = make('tbody', '');
  for (const [host, states] of hosts) {
    const row = make('tr', '', make('td', '', host));
    for (const [name] of columns) {
      const state = states.get(name);
      if (!state) { row.append(make('td', '', '–')); continue; }
      const value = quantity(state.last && state.last.value, state.unit);
      row.append(make('td', state.stale ? 'stale' : '', value, make('small', '', forecastText(state))));
    }
    body.append(row);
  }
  element('hosts').replaceChildren(header(['Host', ...columns.map(([, title]) => title)]), body);
  element('hosts-section').hidden = hosts.size === 0;
}

// The class of a colour, 0 to 8, on a logarithmic scale.
function shade(value, low, high, isHigherBetter) {
  if (!(value > 0) || !(high > low)) return 's4';
  const part = Math.log(value / low) / Math.log(high / low);
  return 's' + Math.max(0, Math.min(8, Math.round(8 * (isHigherBetter ? part : 1 - part))));
}

function drawMap(name, title, isHigherBetter) {
  const links = series.filter(state => state.quantity === name && state.target !== undefined && state.forecast);
  if (links.length === 0) return null;
  const hosts = [...new Set(links.flatMap(state => [state.host, state.target]))].sort().slice(0, MAX_MAP);
  const values = links.map(state => state.forecast.value).filter(value => value > 0);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const found = new Map(links.map(state => [JSON.stringify([state.host, state.target]), state]));
  const body = make('tbody', '');
  for (const from of hosts) {
    const row = make('tr', '', make('th', '', from));
    for (const to of hosts) {
      const state = found.get(JSON.stringify([from, to]));
      if (!state) { row.append(make('td', '', from === to ? '' : '–')); continue; }
      const colour = shade(state.forecast.value, low, high, isHigherBetter);
      const cell = make('td', colour + (state.stale ? ' stale' : ''), quantity(state.forecast.value, state.unit));
      cell.title = `${from} to ${to}: ${forecastText(state)}`;
      row.append(cell);
    }
    body.append(row);
  }
  const table = make('table', 'map', header(['', ...hosts]), body);
  return make('div', '', make('h3', '', title), make('div', 'scroll', table));
}

function drawLinks() {
  const maps = [drawMap('bandwidth', 'Bandwidth', true), drawMap('latency', 'Latency', false)].filter(map => map);
  element('links').replaceChildren(...maps);
  element('links-section').hidden = maps.length === 0;
}

function drawSeries() {
  const filter = element('filter').value.trim();
  const matching = series.filter(state => state.series.includes(filter));
  const focused = document.activeElement && document.activeElement.dataset.series;
  const body = make('tbody', '');
  for (const state of matching.slice(0, MAX_ROWS)) {
    const button = make('button', '', state.series);
    button.type = 'button';
    button.dataset.series = state.series;
    button.addEventListener('click', () => { location.hash = encodeURIComponent(state.series); });
    const coverage = state.forecast && state.forecast.coverage;
    body.append(make('tr', '', make('td', '', button),
      make('td', state.stale ? 'stale' : '', quantity(state.last && state.last.value, state.unit)),
      make('td', '', age(state)),
      make('td', '', forecastText(state)),
      make('td', '', typeof coverage === 'number' ? (100 * coverage).toFixed(1) + ' %' : '–'),
      make('td', 'text', state.warnings.join('; '))));
  }
  element('series').replaceChildren(header(['Series', 'Last', 'Age', 'Next', 'Coverage', 'Remarks']), body);
  if (focused) [...body.querySelectorAll('button')].find(button => button.dataset.series === focused)?.focus();
  const rest = matching.length - MAX_ROWS;
  element('more').textContent = rest > 0 ? `${rest} further series; enter a part of their names` : '';
  element('series-section').hidden = series.length === 0;
}

// An element of a drawing with attributes.
function shape(name, attributes, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

// Draws the last hour of the selected series, with the forecast of the next sample.
async function drawDetail() {
  if (selected === null) return;
  const state = series.find(state => state.series === selected);
  if (!state) return;
  const history = await load('v1/history?limit=4000&series=' + encodeURIComponent(state.series));
  if (history.series !== selected) return;
  const [width, height, left, right, top, bottom] = [720, 240, 78, 24, 14, 28];
  const points = history.points;
  const forecast = state.forecast;
  element('detail-title').textContent = state.series;
  element('detail-note').textContent = [`Next: ${forecastText(state)}`, ...state.warnings].join('; ');
  element('detail-section').hidden = false;
  const times = points.map(point => point.time);
  const values = points.flatMap(point => [point.low, point.high]);
  if (forecast) values.push(...[forecast.value, forecast.low, forecast.high].filter(value => value !== null));
  if (forecast && forecast.time !== null) times.push(forecast.time);
  if (times.length === 0) {
    element('detail').replaceChildren(shape('text', { x: left, y: height / 2 }, 'no samples in the last hour'));
    return;
  }
  const [from, to] = [Math.min(...times), Math.max(...times)];
  let [low, high] = [Math.min(...values), Math.max(...values)];
  if (low === high) { low -= Math.abs(low) / 2 || 1; high += Math.abs(high) / 2 || 1; }
  const x = time => left + (width - left - right) * (to > from ? (time - from) / (to - from) : 1);
  const y = value => height - bottom - (height - top - bottom) * (value - low) / (high - low);
  const at = (time, value) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`;
  const shapes = [];
  for (const value of [low, (low + high) / 2, high]) {
    shapes.push(shape('line', { class: 'grid', x1: left, x2: width - right, y1: y(value), y2: y(value) }));
    shapes.push(shape('text', { x: left - 8, y: y(value) + 4, 'text-anchor': 'end' }, quantity(value, state.unit)));
  }
  const clock = time => new Date(1000 * time).toTimeString().slice(0, 8);
  shapes.push(shape('text', { x: left, y: height - 6 }, clock(from)));
  shapes.push(shape('text', { x: width - right, y: height - 6, 'text-anchor': 'end' }, clock(to)));
  const band = [...points.map(point => at(point.time, point.low)), ...points.toReversed().map(point => at(point.time, point.high))];
  shapes.push(shape('polygon', { class: 'band', points: band.join(' ') }));
  shapes.push(shape('polyline', { class: 'line', points: points.map(point => at(point.time, point.mean)).join(' ') }));
  if (forecast && forecast.time !== null) {
    const place = x(forecast.time);
    if (forecast.low !== null) {
      shapes.push(shape('line', { class: 'whisker', x1: place, x2: place, y1: y(forecast.low), y2: y(forecast.high) }));
    }
    shapes.push(shape('circle', { class: 'forecast', cx: place, cy: y(forecast.value), r: 4 }));
  }
  element('detail').replaceChildren(...shapes);
}

function draw() {
  drawHosts();
  drawLinks();
  drawSeries();
}

async function update() {
  const status = element('status');
  try {
    const all = await load('v1/series');
    series = all.series;
    element('login').hidden = true;
    draw();
    await drawDetail();
    const hosts = new Set(series.map(state => state.host)).size;
    const stale = series.filter(state => state.stale).length;
    status.textContent = `${series.length} series of ${hosts} hosts, ${stale} without recent samples; `
      + new Date(1000 * all.time).toLocaleTimeString();
    status.className = '';
  } catch (error) {
    status.textContent = `Not updated: ${error.message}`;
    status.className = 'failed';
  }
}

async function run() {
  for (;;) {
    if (!document.hidden && element('login').hidden) await update();
    await new Promise(done => setTimeout(done, INTERVAL));
  }
}

element('filter').addEventListener('input', drawSeries);
element('login').addEventListener('submit', event => {
  event.preventDefault();
  sessionStorage.setItem('token', element('token').value);
  element('token').value = '';
  element('login').hidden = true;
  update();
});
addEventListener('hashchange', () => { selected = named(); update(); });
run();
