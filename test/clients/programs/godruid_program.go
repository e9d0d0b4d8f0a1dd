// go-druid, the library of Grafana's plugin for Druid: queries as its builders write them.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"time"

	druid "github.com/grafadruid/go-druid"
	"github.com/grafadruid/go-druid/builder"
	"github.com/grafadruid/go-druid/builder/aggregation"
	"github.com/grafadruid/go-druid/builder/datasource"
	"github.com/grafadruid/go-druid/builder/dimension"
	"github.com/grafadruid/go-druid/builder/extractionfn"
	"github.com/grafadruid/go-druid/builder/filter"
	"github.com/grafadruid/go-druid/builder/granularity"
	"github.com/grafadruid/go-druid/builder/havingspec"
	"github.com/grafadruid/go-druid/builder/intervals"
	"github.com/grafadruid/go-druid/builder/limitspec"
	"github.com/grafadruid/go-druid/builder/postaggregation"
	"github.com/grafadruid/go-druid/builder/query"
	"github.com/grafadruid/go-druid/builder/searchqueryspec"
	"github.com/grafadruid/go-druid/builder/toinclude"
	"github.com/grafadruid/go-druid/builder/topnmetric"
	"github.com/grafadruid/go-druid/builder/types"
	"github.com/grafadruid/go-druid/builder/virtualcolumn"
)

type (
	aggregators     = []builder.Aggregator
	dimensions      = []builder.Dimension
	filters         = []builder.Filter
	postAggregators = []builder.PostAggregator
)

var (
	start  = time.Date(2015, 9, 12, 0, 0, 0, 0, time.UTC)
	source = os.Getenv("CLIENTS_DATASOURCE")
	table  = datasource.NewTable().SetName(source)
	day    = intervals.NewIntervals().SetIntervals([]*intervals.Interval{
		intervals.NewInterval().SetInterval(start, start.Add(24*time.Hour)),
	})
	hour    = granularity.NewSimple().SetGranularity(granularity.Hour)
	all     = granularity.NewSimple().SetGranularity(granularity.All)
	edits   = aggregation.NewCount().SetName("edits")
	added   = aggregation.NewLongSum().SetName("added").SetFieldName("added")
	both    = aggregators{edits, added}
	channel = dimension.NewDefault().SetDimension("channel").SetOutputName("channel")
	english = filter.NewSelector().SetDimension("channel").SetValue("#en.wikipedia")
	isNew   = filter.NewSelector().SetDimension("isNew").SetValue("true")
	most    = topnmetric.NewNumeric().SetMetric("edits")
)

var (
	address    = regexp.MustCompile(`(https?://|Host:)[^/} ]*`)
	errorClass = regexp.MustCompile(`ErrorClass:(\S*)`)
)

// Ids of segments hold the time of their ingestion, and only later versions have projections.
func withoutIds(value any) any {
	switch given := value.(type) {
	case []any:
		for at := range given {
			given[at] = withoutIds(given[at])
		}
	case map[string]any:
		delete(given, "segmentId")
		delete(given, "id")
		delete(given, "projections")
		for name := range given {
			given[name] = withoutIds(given[name])
		}
	}
	return value
}

func say(name string, reply any, err error) {
	line := map[string]any{"name": name}
	if err == nil {
		line["reply"] = withoutIds(reply)
	} else {
		line["message"] = address.ReplaceAllString(err.Error(), "")
		line["error"] = "failed"
		if found := errorClass.FindStringSubmatch(err.Error()); found != nil {
			line["error"] = found[1]
		}
	}
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

func timeseries(of builder.Granularity) *query.Timeseries {
	return query.NewTimeseries().SetDataSource(table).SetIntervals(day).SetGranularity(of).
		SetAggregations(both)
}

func topN(of builder.Dimension, metric builder.TopNMetric) *query.TopN {
	return query.NewTopN().SetDataSource(table).SetIntervals(day).SetGranularity(all).
		SetAggregations(both).SetThreshold(3).SetDimension(of).SetMetric(metric)
}

func groupBy(of ...builder.Dimension) *query.GroupBy {
	return query.NewGroupBy().SetDataSource(table).SetIntervals(day).SetGranularity(all).
		SetAggregations(both).SetDimensions(of)
}

func scan(columns ...string) *query.Scan {
	return query.NewScan().SetDataSource(table).SetIntervals(day).SetColumns(columns).SetLimit(3)
}

func extracted(of string, fn builder.ExtractionFn) builder.Dimension {
	return dimension.NewExtraction().SetDimension(of).SetOutputName("out").SetExtractionFn(fn)
}

func main() {
	client, err := druid.NewClient(os.Getenv("DRUID_URL"), druid.WithRetryMax(0))
	if err != nil {
		panic(err)
	}
	ask := func(name string, asked builder.Query) {
		var reply any
		_, err := client.Query().Execute(asked, &reply)
		say(name, reply, err)
	}
	health, _, err := client.Common().Health()
	say("health", health, err)

	ask("timeseries", timeseries(hour))
	sixHours := granularity.NewDuration().SetDuration(6 * time.Hour).SetOrigin(start)
	ask("durations", timeseries(sixHours).SetLimit(3))
	// It writes a period as nanoseconds, which the engine reads as milliseconds
	long := granularity.NewPeriod().SetPeriod(6 * time.Hour).SetOrigin(start)
	ask("periods", timeseries(long).SetDescending(true))

	for _, of := range []struct {
		name   string
		filter builder.Filter
	}{
		{"selector", english},
		{"tuned selector", filter.NewSelector().SetDimension("isNew").SetValue("true").
			SetFilterTuning(filter.NewFilterTuning().SetUseBitmapIndex(false))},
		{"numeric bound", filter.NewBound().SetDimension("added").SetLower("100").
			SetUpper("1000").SetLowerStrict(true).SetOrdering(types.Numeric)},
		{"bound", filter.NewBound().SetDimension("channel").SetLower("#e").SetUpper("#f")},
		{"in", filter.NewIn().SetDimension("channel").
			SetValues([]string{"#fr.wikipedia", "#de.wikipedia"})},
		{"like", filter.NewLike().SetDimension("page").SetPattern("War%")},
		{"regex", filter.NewRegex().SetDimension("page").SetPattern("^War")},
		{"expression", filter.NewExpression().SetExpression("added > deleted")},
		{"true", filter.NewTrue()},
		{"false", filter.NewFalse()},
		{"not", filter.NewNot().SetField(english)},
		{"or", filter.NewOr().SetFields(filters{english, isNew})},
		{"and", filter.NewAnd().SetFields(filters{english, isNew})},
		{"interval", filter.NewInterval().SetDimension("__time").
			SetIntervals([]*intervals.Interval{
				intervals.NewInterval().SetInterval(start, start.Add(time.Hour)),
			})},
		{"extraction", filter.NewExtraction().SetDimension("channel").
			SetValue("#EN.WIKIPEDIA").SetExtractionFn(extractionfn.NewUpper())},
		{"columns", filter.NewColumnComparison().SetDimensions(dimensions{
			dimension.NewDefault().SetDimension("added"),
			dimension.NewDefault().SetDimension("delta"),
		})},
		{"javascript", filter.NewJavascript().SetDimension("channel").SetFunction("x => true")},
	} {
		ask("filter: "+of.name, timeseries(all).SetFilter(of.filter))
	}

	upper := extractionfn.NewUpper()
	contained := searchqueryspec.NewContains().SetValue("en").SetCaseSensitive(true)
	for at, fn := range []builder.ExtractionFn{
		extractionfn.NewSubstring().SetIndex(1).SetLength(2),
		upper,
		extractionfn.NewLower().SetLocale("en"),
		extractionfn.NewStrlen(),
		extractionfn.NewRegex().SetExpr("#(..)").SetIndex(1),
		extractionfn.NewPartial().SetExpr("^#e"),
		extractionfn.NewStringFormat().SetFormat("<%s>"),
		extractionfn.NewIdentity(),
		extractionfn.NewBucket().SetSize(10),
		extractionfn.NewSearchQuery().SetQuery(contained),
		extractionfn.NewCascade().SetExtractionFns([]builder.ExtractionFn{
			extractionfn.NewSubstring().SetIndex(1), upper,
		}),
	} {
		ask(fmt.Sprintf("extraction %d: %s", at, fn.Type()), topN(extracted("channel", fn), most))
	}
	hours := extracted("__time", extractionfn.NewTimeFormat().SetFormat("HH").SetLocale("en"))
	ask("hours", topN(hours, topnmetric.NewDimension().SetOrdering(types.Lexicographic)))
	ask("fewest", topN(channel, topnmetric.NewInverted().SetMetric(most)))

	byEdits := limitspec.NewDefault().SetLimit(5).SetColumns([]limitspec.OrderByColumnSpec{
		{Dimension: "edits", Direction: limitspec.Descending, DimensionOrder: types.Numeric},
	})
	ask("groups", groupBy(channel).SetLimitSpec(byEdits).SetPostAggregations(postAggregators{
		postaggregation.NewArithmetic().SetName("average").SetFn("/").SetFields(postAggregators{
			postaggregation.NewFieldAccess().SetName("added").SetFieldName("added"),
			postaggregation.NewFieldAccess().SetName("edits").SetFieldName("edits"),
		}),
		postaggregation.NewConstant().SetName("constant").SetValue(2.5),
		postaggregation.NewExpression().SetName("doubled").SetExpression("added * 2"),
	}))
	many := havingspec.NewGreaterThan().SetAggregation("edits").SetValue(2000)
	ask("having", groupBy(channel).SetHaving(many).SetLimitSpec(byEdits))
	subtotals := [][]string{{"isNew"}, {"isRobot"}, {}}
	ask("subtotals", groupBy(
		dimension.NewDefault().SetDimension("isNew").SetOutputName("isNew"),
		dimension.NewDefault().SetDimension("isRobot").SetOutputName("isRobot"),
	).SetSubtotalsSpec(subtotals))
	inner := datasource.NewQuery()
	inner.SetQuery(groupBy(channel).SetGranularity(hour))
	ask("groups of groups", groupBy().SetDataSource(inner).SetAggregations(aggregators{
		aggregation.NewLongMax().SetName("most").SetFieldName("edits"),
	}))

	ask("aggregators", timeseries(all).SetAggregations(aggregators{
		edits,
		aggregation.NewDoubleSum().SetName("doubleSum").SetFieldName("delta"),
		aggregation.NewFloatMax().SetName("floatMax").SetFieldName("added"),
		aggregation.NewLongMin().SetName("longMin").SetExpression("added - deleted"),
		aggregation.NewDoubleMean().SetName("mean").SetFieldName("added"),
		aggregation.NewCardinality().SetName("users").SetFields([]string{"user"}).SetRound(true),
		aggregation.NewStringFirst().SetName("first").SetFieldName("page").SetMaxStringBytes(100),
		aggregation.NewStringLast().SetName("last").SetFieldName("page"),
		aggregation.NewLongLast().SetName("longLast").SetFieldName("added"),
		aggregation.NewFiltered().SetName("filtered").SetFilter(english).
			SetAggregator(aggregation.NewCount().SetName("english")),
		aggregation.NewHLLSketchBuild().SetName("sketch").SetFieldName("user").SetRound(true),
		aggregation.NewThetaSketch().SetName("theta").SetFieldName("channel"),
		aggregation.NewQuantilesDoublesSketch().SetName("quantiles").SetFieldName("added"),
	}))

	ask("scan", scan("__time", "page", "added").SetFilter(english))
	ask("latest rows", scan("__time", "page").SetOffset(1).SetOrder(query.Descending).
		SetResultFormat("compactedList"))
	ask("virtual column", scan("large").SetVirtualColumns([]builder.VirtualColumn{
		virtualcolumn.NewExpression().SetName("large").SetExpression("upper(channel)").
			SetOutputType(types.String),
	}))
	ask("search", query.NewSearch().SetDataSource(table).SetIntervals(day).SetGranularity(all).
		SetSearchDimensions(dimensions{channel}).SetQuery(contained).SetLimit(5))
	ask("wrong search", query.NewSearch().SetDataSource(table).SetIntervals(day).
		SetGranularity(all).SetQuery(searchqueryspec.NewInsensitiveContains().SetValue("EN")))
	ask("time boundary", query.NewTimeBoundary().SetDataSource(table))
	ask("last time", query.NewTimeBoundary().SetDataSource(table).SetBound("maxTime").
		SetFilter(english))
	ask("datasource metadata", query.NewDataSourceMetadata().SetDataSource(table))
	ask("segment metadata", query.NewSegmentMetadata().SetDataSource(table).SetIntervals(day).
		SetMerge(true).SetToInclude(toinclude.NewList().SetColumns([]string{"channel"})).
		SetAnalysisTypes([]query.AnalysisType{query.Cardinality, query.Interval}))
	ask("unknown datasource", timeseries(hour).SetDataSource(datasource.NewTable().SetName("no")))

	counted := fmt.Sprintf(`SELECT channel, COUNT(*) AS edits FROM "%s"`, source)
	ask("sql", query.NewSQL().SetResultFormat("array").SetHeader(true).
		SetQuery(counted+` GROUP BY 1 ORDER BY 2 DESC LIMIT 3`))
	parameter := query.NewSQLParameter()
	parameter.Type, parameter.Value = "VARCHAR", "#en.wikipedia"
	ask("sql with a parameter", query.NewSQL().SetQuery(counted+` WHERE channel = ? GROUP BY 1`).
		SetParameters([]query.SQLParameter{*parameter}))
	ask("wrong sql", query.NewSQL().SetQuery("SELEC"))
}
