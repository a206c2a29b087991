/** Prints the recipe alone: the styles for print leave out the rest of the page while this runs. */

export function printRecipe(): void {
  const { dataset } = document.documentElement;
  const done = () => delete dataset['printing'];
  window.addEventListener('afterprint', done, { once: true });
  dataset['printing'] = 'recipe';
  window.print();
}
