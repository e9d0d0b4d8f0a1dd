// druidry, a Java library that builds native queries from objects and posts them with Jersey.
import com.fasterxml.jackson.databind.ObjectMapper;
import in.zapr.druid.druidry.aggregator.*;
import in.zapr.druid.druidry.client.DruidConfiguration;
import in.zapr.druid.druidry.client.DruidJerseyClient;
import in.zapr.druid.druidry.client.DruidQueryProtocol;
import in.zapr.druid.druidry.dataSource.*;
import in.zapr.druid.druidry.dimension.*;
import in.zapr.druid.druidry.dimension.enums.OutputType;
import in.zapr.druid.druidry.extensions.datasketches.aggregator.ThetaSketchAggregator;
import in.zapr.druid.druidry.extractionFunctions.*;
import in.zapr.druid.druidry.filter.*;
import in.zapr.druid.druidry.filter.havingSpec.*;
import in.zapr.druid.druidry.filter.searchQuerySpec.InsensitiveContainsSearchQuerySpec;
import in.zapr.druid.druidry.granularity.*;
import in.zapr.druid.druidry.limitSpec.DefaultLimitSpec;
import in.zapr.druid.druidry.limitSpec.orderByColumnSpec.*;
import in.zapr.druid.druidry.postAggregator.*;
import in.zapr.druid.druidry.query.DruidQuery;
import in.zapr.druid.druidry.query.aggregation.*;
import in.zapr.druid.druidry.query.config.*;
import in.zapr.druid.druidry.query.scan.*;
import in.zapr.druid.druidry.query.search.DruidSearchQuery;
import in.zapr.druid.druidry.topNMetric.*;
import in.zapr.druid.druidry.virtualColumn.ExpressionVirtualColumn;
import java.net.URI;
import java.util.List;
import org.joda.time.DateTime;
import org.joda.time.DateTimeZone;

public class Druidry {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final DataSource EDITS = new TableDataSource(System.getenv("CLIENTS_DATASOURCE"));
  private static final List<Interval> DAY = List.of(between("2015-09-12T00:00:00Z", "2015-09-13T00:00:00Z"));
  private static final Granularity ALL = new SimpleGranularity(PredefinedGranularity.ALL);
  private static final Granularity HOUR = new SimpleGranularity(PredefinedGranularity.HOUR);
  private static final List<DruidAggregator> SUMS = List.of(
      new CountAggregator("edits"), new LongSumAggregator("added", "added"), new DoubleSumAggregator("delta", "delta"));
  private static DruidJerseyClient client;

  public static void main(String[] arguments) throws Exception {
    URI url = URI.create(System.getenv("DRUID_URL"));
    client = new DruidJerseyClient(DruidConfiguration.builder().protocol(DruidQueryProtocol.HTTP)
        .host(url.getHost()).port(url.getPort()).endpoint("druid/v2/").build());
    client.connect();
    ask("timeseries", series(ALL).build());
    ask("timeseries by hour, last first", series(HOUR).descending(true).limit(3).build());
    ask("timeseries by a period of a zone", series(PeriodGranularity.builder().period("PT6H")
        .timeZone(DateTimeZone.forID("America/New_York")).build()).build());
    ask("timeseries by a duration", series(new DurationGranularity(7_200_000, time("2015-09-12T00:30:00Z"))).build());
    ask("timeseries without empty buckets", series(HOUR).filter(new SelectorFilter("cityName", "Tokyo"))
        .context(Context.builder().skipEmptyBuckets(true).queryId("druidry").build()).build());
    ask("timeseries with filters", series(ALL).filter(new AndFilter(List.of(
        new NotFilter(new SelectorFilter("isRobot", "true")),
        new InFilter("channel", List.of("#en.wikipedia", "#de.wikipedia")),
        BoundFilter.builder().dimension("added").lower("10").upper("100").upperStrict(true)
            .ordering(SortingOrder.NUMERIC).build(),
        new RegexFilter("page", "^[A-M]"),
        new IntervalFilter("__time", List.of(between("2015-09-12T03:00:00Z", "2015-09-12T05:00:00Z"))),
        SearchFilter.builder().dimension("page").searchQuerySpec(new InsensitiveContainsSearchQuerySpec("WAR")).build()))).build());
    ask("timeseries with post-aggregators", series(ALL).postAggregators(List.of(ArithmeticPostAggregator.builder()
        .name("mean").function(ArithmeticFunction.QUOTIENT).fields(List.of(
            new FieldAccessPostAggregator("added"), new FieldAccessPostAggregator("edits"))).build(),
        new ConstantPostAggregator("two", 2.0))).build());
    ask("timeseries with all kinds of aggregators", DruidTimeSeriesQuery.builder().dataSource(EDITS).intervals(DAY).granularity(ALL)
        .aggregators(List.of(new LongMaxAggregator("most", "added"), new DoubleMinAggregator("least", "delta"),
            new HyperUniqueAggregator("users", "nothing"),
            CardinalityAggregator.builder().name("channels").fields(List.of("channel")).byRow(false).build(),
            new FilteredAggregator(new SelectorFilter("isNew", "true"), new CountAggregator("new")),
            ThetaSketchAggregator.builder().name("namespaces").fieldName("namespace").build())).build());
    ask("topN", top(new SimpleMetric("edits")).build());
    ask("topN inverted", top(new InvertedMetric(new NumericMetric("added"))).build());
    ask("topN by name", top(DimensionMetric.builder().ordering(SortingOrder.STRLEN).previousStop("#bg.wikipedia").build()).build());
    ask("topN of an extraction", top(new SimpleMetric("edits")).dimension(extracted(
        SubStringExtractionFunction.builder().index(1).length(2).build())).build());
    ask("groupBy", groups("isRobot").build());
    ask("groupBy by hour with a limit", groups("isRobot").granularity(HOUR).limitSpec(new DefaultLimitSpec(4, List.of(
        new OrderByColumnSpecMap("added", true, SortingOrder.NUMERIC), new OrderByColumnSpecString("isRobot")))).build());
    ask("groupBy having", groups("channel").having(new AndHaving(List.of(
        new GreaterThanHaving("edits", 1000), new LessThanHaving("edits", 3000)))).build());
    ask("groupBy having a filter", groups("channel").having(new FilterHaving(
        BoundFilter.builder().dimension("edits").lower("2500").ordering(SortingOrder.NUMERIC).build())).build());
    ask("groupBy of dimensions of other kinds", groups("isNew").dimensions(List.of(
        new DefaultDimension("metroCode", "metro", OutputType.LONG),
        extracted(RegexExtractionFunction.builder().expr("#(..)").build()),
        ListFilteredDimension.builder().dimensionSpec(new DefaultDimension("namespace", "space", OutputType.STRING))
            .values(List.of("Talk", "User talk")).whitelist(true).build())).limitSpec(new DefaultLimitSpec(5,
                List.of(new OrderByColumnSpecMap("edits", true, SortingOrder.NUMERIC), new OrderByColumnSpecString("metro")))).build());
    ask("groupBy of a virtual column", groups("size").virtualColumns(List.of(
        new ExpressionVirtualColumn("size", "if(added > 100, 'large', 'small')", OutputType.STRING))).build());
    ask("groupBy of a query", DruidGroupByQuery.builder().dataSource(new QueryDataSource(groups("channel").build()))
        .intervals(DAY).granularity(ALL).dimensions(List.of()).aggregators(List.of(
            new CountAggregator("channels"), new LongMaxAggregator("most", "edits"))).build());
    ask("union", DruidTimeSeriesQuery.builder().dataSource(new UnionDataSource(
        List.of(System.getenv("CLIENTS_DATASOURCE"), System.getenv("CLIENTS_DATASOURCE"))))
        .intervals(DAY).granularity(ALL).aggregators(SUMS).build());
    ask("search", DruidSearchQuery.builder().dataSource(EDITS).intervals(DAY).granularity(ALL).limit(4)
        .searchDimensions(List.of(new SimpleDimension("countryName"))).sort(SortingOrder.STRLEN)
        .query(new InsensitiveContainsSearchQuerySpec("LAND")).build());
    for (ResultFormat format : List.of(ResultFormat.LIST, ResultFormat.COMPACTED_LIST))
      ask("scan as " + format, DruidScanQuery.builder().dataSource(EDITS).intervals(DAY).resultFormat(format)
          .filter(new SelectorFilter("user", "Nihonjoe")).columns(List.of("__time", "user", "page", "added")).limit(3L).build());
    ask("unknown datasource", series(ALL).dataSource(new TableDataSource("nothing")).build());
    client.close();
  }

  private static DruidTimeSeriesQuery.DruidTimeSeriesQueryBuilder series(Granularity granularity) {
    return DruidTimeSeriesQuery.builder().dataSource(EDITS).intervals(DAY).granularity(granularity).aggregators(SUMS);
  }

  private static DruidTopNQuery.DruidTopNQueryBuilder top(TopNMetric metric) {
    return DruidTopNQuery.builder().dataSource(EDITS).intervals(DAY).granularity(ALL).aggregators(SUMS)
        .dimension(new SimpleDimension("channel")).threshold(3).topNMetric(metric);
  }

  private static DruidGroupByQuery.DruidGroupByQueryBuilder groups(String dimension) {
    return DruidGroupByQuery.builder().dataSource(EDITS).intervals(DAY).granularity(ALL).aggregators(SUMS)
        .dimensions(List.of(new SimpleDimension(dimension)));
  }

  private static DruidDimension extracted(ExtractionFunction function) {
    return ExtractionDimension.builder().dimension("channel").outputName("short").extractionFunction(function).build();
  }

  private static DateTime time(String text) {
    return new DateTime(text, DateTimeZone.UTC);
  }

  private static Interval between(String start, String end) {
    return new Interval(time(start), time(end));
  }

  private static void ask(String name, DruidQuery query) throws Exception {
    System.out.println("{\"name\":" + JSON.writeValueAsString(name) + "," + answerTo(query) + "}");
  }

  // The ids of segments tell the time of their ingestion.
  private static String answerTo(DruidQuery query) throws Exception {
    try {
      return "\"reply\":" + client.query(query).replaceAll("\"segmentId\":\"[^\"]*\"", "\"segmentId\":\"\"");
    } catch (Exception error) {
      return "\"error\":" + JSON.writeValueAsString(error.getClass().getSimpleName())
          + ",\"message\":" + JSON.writeValueAsString(String.valueOf(error.getMessage()));
    }
  }
}
