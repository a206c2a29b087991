// The page for offline, in the language of this browser. It goes on by itself when there is a
// connection again.
(function () {
  var chosen = null;
  try { chosen = localStorage.getItem('parlor.language'); } catch (error) { /* a private window */ }
  var portuguese = (chosen || navigator.language || '').slice(0, 2) === 'pt';
  var lang = portuguese ? 'pt-BR' : 'en';
  document.documentElement.lang = lang;
  document.title = (portuguese ? 'Sem conexão' : 'Offline') + ' · Parlor';
  document.querySelectorAll('.offline').forEach(function (part) { part.hidden = part.lang !== lang; });
  window.addEventListener('online', function () { location.reload(); });
})();
