/** The props of every artifact panel. */
export interface ArtifactProps {
  id: string;
}
