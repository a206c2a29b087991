// Finishes a login to an MCP server with what its login page sent the browser back with.
'use strict';

const outcome = document.getElementById('outcome');
const query = location.search.slice(1);
// The code in the address can be used once; it need not stay in the history.
history.replaceState(null, '', location.pathname);

fetch('/api/me/mcp-logins', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query }),
})
  .then(async (response) => {
    const answer = await response.json();
    if (!response.ok) return answer.error.message;
    if (!answer.person) return outcome.dataset.done;
    // Whoever logged in for themselves came from their settings.
    const back = document.getElementById('back');
    back.href = '/settings#logins';
    back.textContent = back.dataset.settings;
    return outcome.dataset.own;
  })
  .catch((error) => String(error))
  .then((text) => {
    outcome.textContent = text;
  });
