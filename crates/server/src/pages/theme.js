// Sets light or dark before anything is drawn: what the person chose, or what the system says.
(function () {
  var chosen = null;
  try { chosen = localStorage.getItem('parlor.theme'); } catch (error) { /* a private window */ }
  var dark = chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
