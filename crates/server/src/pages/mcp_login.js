// Finishes a login to an MCP server with what its login page sent the browser back with.
'use strict';

const outcome = document.getElementById('outcome');
const query = location.search.slice(1);
// The code in the address can be used once; it need not stay in the history.
history.replaceState(null, '', location.pathname);

fetch('/api/admin/mcp/login', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query }),
})
  .then(async (response) => {
    if (response.ok) return outcome.dataset.done;
    return (await response.json()).error.message;
  })
  .catch((error) => String(error))
  .then((text) => {
    outcome.textContent = text;
  });
