// Ingestion metadata of segments; NULL for segments that earlier versions wrote.
export const segmentIngestion = `ALTER TABLE segments ADD COLUMN ingestion TEXT`; // {rollup, queryGranularity, aggregators, timestampSpec}
