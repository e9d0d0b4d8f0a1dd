// What the rows of a segment went through when they were ingested; NULL for what earlier versions
// wrote.
export const segmentIngestion = `ALTER TABLE segments ADD COLUMN ingestion TEXT`; // {rollup, queryGranularity, aggregators, timestampSpec}
