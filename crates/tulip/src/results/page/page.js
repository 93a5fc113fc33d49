'use strict';
const table = document.getElementById('dataTable');
const more = document.getElementById('more');
if (more) {
  const show = (all) => {
    table.classList.toggle('expanded', all);
    more.textContent = all ? 'Hide Detailed Columns' : 'Show All Columns';
    more.setAttribute('aria-expanded', all);
  };
  show(false);
  more.addEventListener('click', () => show(!table.classList.contains('expanded')));
}
const next = {none: 'descending', descending: 'ascending', ascending: 'none'};
table.addEventListener('click', (event) => {
  const button = event.target.closest('th button');
  if (!button) return;
  const head = button.parentElement;
  const order = next[head.getAttribute('aria-sort')];
  for (const other of head.parentElement.children) {
    if (other.hasAttribute('aria-sort')) other.setAttribute('aria-sort', 'none');
  }
  head.setAttribute('aria-sort', order);
  let part = head.closest('tbody').nextElementSibling;
  for (; part && !part.classList.contains('heads'); part = part.nextElementSibling) {
    if (part.classList.contains('sortable')) sort(part, head.cellIndex, order);
  }
});
function sort(part, column, order) {
  const rows = [...part.rows];
  const labels = rows.map((row) => row.querySelector('td.name').textContent);
  const key = (row) => {
    if (order === 'none') return Number(row.dataset.row);
    const value = row.cells[column].dataset.v;
    if (value === undefined) return Infinity;
    return order === 'ascending' ? Number(value) : -Number(value);
  };
  rows.sort((a, b) => key(a) - key(b) || a.dataset.row - b.dataset.row);
  rows.forEach((row, index) => {
    row.querySelector('td.name').textContent = labels[index];
    part.append(row);
  });
}
