'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const byId = id => document.getElementById(id);
const percent = x => (100 * x).toFixed(1) + ' %';

/** An element with text or children. */
function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function row(tag, cells) {
  return element('tr', {}, ...cells.map(cell => element(tag, {}, cell)));
}

function show(id) {
  byId(id).hidden = false;
}

function results() {
  byId('state').textContent = data.state;
  if (data.results) {
    show('results');
    byId('results').querySelector('h2').textContent = data.results.title;
    byId('methods').append(
      row('th', ['method', 'success', '95 % interval', 'return', 'steps', 'episodes']),
      ...data.results.methods.map(m => row('td', [m.label, percent(m.success),
        percent(m.low) + ' – ' + percent(m.high), m.return.toFixed(3), m.steps.toFixed(2), m.episodes])));
    byId('remarks').append(...data.results.remarks.map(text => element('li', {}, text)));
  }
  if (data.headroom.length > 0) {
    show('headroom');
    byId('advice').textContent = data.advice;
    byId('room').append(row('th', ['measure', 'value', '95 % interval']),
      ...data.headroom.map(line => row('td', [line.name, line.value, line.interval])));
  }
  const times = Object.entries(data.stages);
  byId('times').hidden = times.length === 0;
  byId('stages').append(row('th', ['stage', 'seconds']),
    ...times.map(([stage, seconds]) => row('td', [stage, seconds.toFixed(1)])));
}

// Charts. They are drawn anew when the browser turns light or dark.

const COLOURS = ['#4c8dd6', '#e08a2c', '#35a36b', '#d9596b', '#8f6fc4', '#8a8f98', '#b5a136', '#3fb3b3'];
let charts = [];

function style(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function chart(id, type, chartData, x, y) {
  const grid = {color: style('--line')};
  charts.push(new Chart(byId(id), {
    type,
    data: chartData,
    options: {
      animation: false, maintainAspectRatio: false, color: style('--ink'),
      elements: {point: {radius: 0, hitRadius: 8}, line: {borderWidth: 2}},
      plugins: {legend: {display: chartData.datasets.length > 1, position: 'bottom', align: 'start',
        labels: {boxWidth: 14, color: style('--ink')}}},
      scales: {
        x: {grid, ticks: {color: style('--faint'), maxTicksLimit: 12}, ...x},
        y: {grid, ticks: {color: style('--faint')}, beginAtZero: true, ...y},
      },
    },
  }));
}

function draw() {
  charts.forEach(old => old.destroy());
  charts = [];
  const names = Object.keys(data.curves);
  if (names.length > 0) {
    show('learning');
    chart('curves', 'line', {datasets: names.map((name, i) => ({label: name, borderColor: COLOURS[i % COLOURS.length],
      backgroundColor: COLOURS[i % COLOURS.length], data: data.curves[name].map(([at, value]) => ({x: at, y: value}))}))},
    {type: 'linear', title: {display: true, text: 'update', color: style('--faint')}}, {max: 1});
  }
  if (data.values) {
    show('values');
    const {low, width, counts} = data.values;
    chart('vstar', 'bar', {labels: counts.map((_, i) => (low + i * width).toFixed(2)),
      datasets: [{label: 'tasks', data: counts, backgroundColor: COLOURS[0], categoryPercentage: 1, barPercentage: .95}]},
    {title: {display: true, text: 'V*, from', color: style('--faint')}},
    {title: {display: true, text: 'tasks', color: style('--faint')}});
  }
  const sampled = data.results ? data.results.methods.filter(m => m.mode === 'sampled') : [];
  const categories = [...new Set(sampled.flatMap(m => Object.keys(m.categories)))].sort();
  if (categories.length > 0) {
    show('categories');
    chart('bars', 'bar', {labels: categories, datasets: sampled.map((m, i) => ({label: m.label,
      backgroundColor: COLOURS[i % COLOURS.length], data: categories.map(c => m.categories[c] ?? null)}))}, {}, {max: 1});
  }
}

// The viewer. What was chosen by hand stands in the address, so that it outlives a reload and can be sent to somebody.

const LISTED = 300;
const filters = {};
let episodes = [];

function address() {
  return new URLSearchParams(location.hash.slice(1));
}

async function unpack() {
  const packed = byId('episodes').textContent;
  if (!packed) {
    return [];
  }
  const bytes = await (await fetch('data:application/gzip;base64,' + packed)).blob();
  const stream = bytes.stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).json();
}

function who(e) {
  const mode = (' ' + e.mode).replace(' sampled', '');
  return e.method + mode + (e.learned ? ', update ' + (e.learned.step + 1) : '');
}

function unique(values) {
  return [...new Set(values)];
}

function filter(name, label, options) {
  const input = options
    ? element('select', {name}, ...options.map(([value, text]) => element('option', {value, textContent: text})))
    : element('input', {name, type: name === 'words' ? 'search' : 'number', step: 'any'});
  filters[name] = input;
  byId('filters').append(element('label', {}, label, input));
}

function filterForm() {
  const named = unique(episodes.map(who)).map(m => [m, m]);
  const outcomes = [['', 'any'], ['yes', 'success'], ['no', 'no success']];
  const failures = unique(episodes.map(e => e.failure).filter(Boolean)).sort().map(f => [f, f]);
  filter('left', 'show', named);
  filter('right', 'beside it', [['', 'nothing'], ...named]);
  filter('leftOutcome', 'its outcome', outcomes);
  filter('rightOutcome', 'the other\'s', outcomes);
  filter('failure', 'failure', [['', 'any'], ...failures]);
  filter('least', 'return from');
  filter('most', 'to');
  filter('words', 'task, category or words');
  byId('filters').addEventListener('input', event => {
    remember(event.target.name, event.target.value);
    list();
  });
  byId('filters').addEventListener('submit', event => event.preventDefault());
}

/** The reference beside what was trained from it, or the newest update; what the address says goes before. */
function fillIn() {
  const methods = unique(episodes.map(who));
  const first = {
    left: methods.includes('reference') ? 'reference' : methods[methods.length - 1],
    right: data.trained.find(m => methods.includes(m)) ?? '',
  };
  Object.entries(filters).forEach(([name, input]) => {
    const given = address().get(name) ?? first[name] ?? '';
    input.value = given;
    if (input.value !== given) {
      input.value = first[name] ?? '';
    }
  });
}

function keyOf(e) {
  return e.task_id + ' ' + e.sample;
}

function fits(e, outcome) {
  return outcome === '' || e !== undefined && e.success === (outcome === 'yes');
}

function text(e) {
  return [e.task_id, e.category, e.turns[0].observation, ...e.turns.map(t => t.action)].join(' ').toLowerCase();
}

/** Pairs of episodes, the second of which may be undefined. */
function chosen() {
  const f = Object.fromEntries(Object.entries(filters).map(([name, input]) => [name, input.value]));
  filters.rightOutcome.disabled = f.right === '';
  f.rightOutcome = f.right === '' ? '' : f.rightOutcome;
  const right = episodes.filter(e => who(e) === f.right);
  const others = new Map(right.map(e => [keyOf(e), e]));
  // Episodes that training learned from are counted within an update: beside another, any of the task will do.
  const ofTask = new Map(right.map(e => [e.task_id, e]));
  const words = f.words.toLowerCase().split(/\s+/).filter(Boolean);
  const least = f.least === '' ? -Infinity : Number(f.least);
  const most = f.most === '' ? Infinity : Number(f.most);
  return episodes
    .filter(e => who(e) === f.left)
    .map(e => [e, others.get(keyOf(e)) ?? (e.learned ? ofTask.get(e.task_id) : undefined)])
    .filter(([e, o]) => fits(e, f.leftOutcome) && fits(o, f.rightOutcome))
    .filter(([e, o]) => !f.failure || e.failure === f.failure || o?.failure === f.failure)
    .filter(([e, o]) => [e, o].some(x => x && x.reward >= least && x.reward <= most))
    .filter(([e]) => words.every(word => text(e).includes(word)));
}

function remember(name, value) {
  const state = address();
  state.set(name, value);
  history.replaceState(null, '', '#' + state);
}

function mark(e) {
  return e === undefined ? element('span', {}, '–')
    : element('span', {className: e.success ? 'good-text' : 'bad-text'},
      (e.success ? '✓ ' : '✗ ') + e.reward.toFixed(2));
}

function list() {
  const pairs = chosen();
  const wanted = address().get('episode');
  byId('count').textContent = pairs.length + (pairs.length === 1 ? ' episode' : ' episodes')
    + (pairs.length > LISTED ? ', the first ' + LISTED + ' are listed' : '');
  byId('list').replaceChildren(...pairs.slice(0, LISTED).map(([e, o]) => {
    const button = element('button', {type: 'button', title: e.task_id, onclick: () => {
      remember('episode', keyOf(e));
      choose(e, o, button);
    }},
      mark(e), ...(filters.right.value ? [' → ', mark(o)] : []),
      ' ', element('small', {}, e.category + ', ' + e.task_id.slice(0, 8) + (e.sample > 0 ? ' #' + e.sample : '')));
    button.dataset.key = keyOf(e);
    return element('li', {}, button);
  }));
  byId('detail').replaceChildren();
  const shown = pairs.slice(0, LISTED);
  const at = Math.max(0, shown.findIndex(([e]) => keyOf(e) === wanted));
  if (shown.length > 0) {
    choose(...shown[at], byId('list').children[at].firstChild);
  }
}

function choose(e, o, button) {
  byId('list').querySelectorAll('[aria-current]').forEach(old => old.removeAttribute('aria-current'));
  button.setAttribute('aria-current', 'true');
  byId('detail').replaceChildren(...[e, o].filter(Boolean).map(transcript));
}

function signed(x) {
  return (x < 0 ? '−' : '+') + Math.abs(x).toFixed(2);
}

function transcript(e) {
  const facts = [e.success ? 'success' : e.failure, 'return ' + e.reward.toFixed(2)];
  if (e.learned) {
    if (e.learned.v_star !== undefined) {
      facts.push('V* ' + e.learned.v_star.toFixed(2));
    }
    if (e.learned.advantage !== undefined) {
      facts.push('advantage ' + signed(e.learned.advantage));
    }
  }
  return element('article', {}, element('h3', {}, who(e)),
    element('small', {}, facts.join(', ') + '. Task ' + e.task_id + ', ' + e.category),
    ...e.turns.map(t => element('div', {className: 'turn' + (t.reward > 0 ? ' good' : t.reward < 0 ? ' bad' : '')},
      element('div', {className: 'observation', tabIndex: 0}, t.observation),
      element('div', {className: 'thought'}, t.thought),
      element('div', {className: 'action'}, t.action),
      element('small', {}, t.event + ', reward ' + signed(t.reward)))));
}

// A page of a run in progress loads itself again, but not while somebody types or looks elsewhere.

const SCROLL = 'scroll ' + location.pathname;

function reload() {
  const typing = byId('filters').contains(document.activeElement);
  if (document.hidden || typing) {
    setTimeout(reload, 1000);
    return;
  }
  sessionStorage.setItem(SCROLL, JSON.stringify([window.scrollY, byId('list').scrollTop]));
  location.reload();
}

function scrollBack() {
  const [page, listed] = JSON.parse(sessionStorage.getItem(SCROLL) ?? '[0, 0]');
  sessionStorage.removeItem(SCROLL);
  byId('list').scrollTop = listed;
  if (page > 0) {
    window.scrollTo(0, page);
  }
}

results();
draw();
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
unpack().then(all => {
  episodes = all;
  if (episodes.length > 0) {
    show('viewer');
    byId('note').textContent = data.note;
    filterForm();
    fillIn();
    list();
    window.addEventListener('hashchange', () => {
      fillIn();
      list();
    });
  }
  scrollBack();
}).catch(error => {
  byId('state').textContent += ' The episodes cannot be shown by this browser (' + error.message + ').';
});
if (data.refreshSeconds > 0) {
  setTimeout(reload, 1000 * data.refreshSeconds);
}
