(function () {
  'use strict';
  var all = function (selector, root) { return Array.prototype.slice.call((root || document).querySelectorAll(selector)); };
  // A link to a target opens it.
  var show = function () {
    var target = /^#t\d+$/.test(location.hash) && document.getElementById(location.hash.slice(1));
    if (target) { target.hidden = false; target.open = true; target.scrollIntoView(); }
  };
  addEventListener('hashchange', show);
  show();
  // The links of the table are one stop of the keyboard: arrows go on from there.
  var links = function () { return all('table.targets tbody th a').filter(function (link) { return !link.closest('tr').hidden; }); };
  var stop = function (wanted) { all('table.targets tbody th a').forEach(function (link) { link.tabIndex = link === wanted ? 0 : -1; }); };
  stop(links()[0]);
  addEventListener('keydown', function (event) {
    var shown = links(), place = shown.indexOf(document.activeElement);
    var next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: shown.length - 1 }[event.key];
    if (place < 0 || next === undefined || !shown[next]) { return; }
    event.preventDefault();
    stop(shown[next]);
    shown[next].focus();
  });
  // Which targets to show.
  var rows = all('table.targets tbody tr'), filters = all('[data-filter]');
  filters.forEach(function (button) {
    var which = button.dataset.filter;
    var wanted = function (row) {
      return which === 'all' || (which === 'unexpected' ? row.hasAttribute('data-unexpected') : row.dataset.verdict === which);
    };
    var count = rows.filter(wanted).length;
    button.textContent += ' ' + count;
    button.disabled = count === 0;
    button.addEventListener('click', function () {
      filters.forEach(function (other) { other.setAttribute('aria-pressed', other === button); });
      rows.forEach(function (row) {
        row.hidden = !wanted(row);
        document.getElementById('t' + row.dataset.row).hidden = row.hidden;
      });
      stop(links()[0]);
    });
  });
  all('.filters').forEach(function (group) { group.hidden = false; });
  // A click on a heading sorts by it, and another click the other way: by the first number, else by the text.
  all('table.targets thead th').forEach(function (heading, column) {
    if (heading.classList.contains('strip') || rows.length < 2) { return; }
    var button = document.createElement('button');
    button.type = 'button';
    while (heading.firstChild) { button.appendChild(heading.firstChild); }
    heading.appendChild(button);
    button.addEventListener('click', function () {
      var up = heading.getAttribute('aria-sort') !== 'ascending';
      all('[aria-sort]').forEach(function (other) { other.removeAttribute('aria-sort'); });
      heading.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      var key = function (row) {
        var cell = row.cells[column], number = cell.querySelector('.n');
        if (!number) { return cell.textContent; }
        var parts = number.textContent.split('/');
        return parts[0] / (parts[1] || 1);
      };
      rows.slice().sort(function (one, other) {
        var a = key(one), b = key(other);
        var order = typeof a === 'number' && typeof b === 'number' ? a - b : typeof a === 'number' ? -1 : typeof b === 'number' ? 1 : a < b ? -1 : a > b ? 1 : 0;
        return up ? order : -order;
      }).forEach(function (row) { row.parentNode.appendChild(row); });
    });
  });
}());
