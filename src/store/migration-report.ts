/** The versions that the tables had and have now: the same if nothing was to do. */
export interface MigrationReport {
  from: number;
  to: number;
}
