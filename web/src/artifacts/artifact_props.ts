/** What a panel for an artifact is given. */
export interface ArtifactProps {
  id: string;
}
