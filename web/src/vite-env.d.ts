/// <reference types="vite/client" />

/** The address of the page that draws diagrams (`vite/diagram_page.ts`). */
declare module 'virtual:diagram-page' {
  const address: string;
  export default address;
}
