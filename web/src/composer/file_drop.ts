/** What is dropped on the page. A browser left to itself opens it in place of the page, and what was typed is gone. */

import { useEffect, useRef, useState } from 'react';

import { isEditable } from '../ui/focus';

const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;

/** Nothing that is dropped leads away from the page. Text still goes into text fields. */
export function preventDropNavigation(): () => void {
  const hold = (event: DragEvent) => {
    if (holdsFiles(event) || !(event.target instanceof Element) || !isEditable(event.target)) event.preventDefault();
  };
  document.addEventListener('dragover', hold);
  document.addEventListener('drop', hold);
  return () => {
    document.removeEventListener('dragover', hold);
    document.removeEventListener('drop', hold);
  };
}

/** Takes a file that is dropped anywhere on the page. Says whether one is being dragged over it. */
export function useDroppedFile(take: (file: File | undefined) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const onOver = (event: DragEvent) => setOver(holdsFiles(event));
    // Between elements of the page there is always another one that it goes to.
    const onLeave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const onDrop = (event: DragEvent) => {
      setOver(false);
      if (holdsFiles(event)) latest.current(event.dataTransfer?.files[0]);
    };
    document.addEventListener('dragover', onOver);
    document.addEventListener('dragleave', onLeave);
    document.addEventListener('drop', onDrop);
    return () => {
      document.removeEventListener('dragover', onOver);
      document.removeEventListener('dragleave', onLeave);
      document.removeEventListener('drop', onDrop);
    };
  }, []);
  return over;
}
