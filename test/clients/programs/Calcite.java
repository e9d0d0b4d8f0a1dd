// Calcite's Druid adapter: it reads the columns with segmentMetadata, and makes native queries of SQL.
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Arrays;
import java.util.Properties;
import java.util.TreeSet;

public class Calcite {
  private static final String MODEL =
      """
      inline:{"version": "1.0", "defaultSchema": "druid", "schemas": [{"type": "custom", "name": "druid",
        "factory": "org.apache.calcite.adapter.druid.DruidSchemaFactory", "operand": {"url": "%1$s", "coordinatorUrl": "%1$s"},
        "tables": [
          {"name": "edits", "factory": "org.apache.calcite.adapter.druid.DruidTableFactory", "operand": {"dataSource": "%2$s",
            "interval": "2015-09-12/2015-09-13", "timestampColumn": {"name": "__time", "type": "timestamp with local time zone"},
            "dimensions": ["channel", "cityName", "countryName", "isRobot", "namespace", "page", "user"],
            "metrics": [{"name": "added", "type": "longSum", "fieldName": "added"}, {"name": "delta", "type": "longSum", "fieldName": "delta"}]}},
          {"name": "introspected", "factory": "org.apache.calcite.adapter.druid.DruidTableFactory", "operand": {"dataSource": "%2$s"}}]}]}
      """;
  private static final String[] QUERIES = {
    "SELECT COUNT(*) FROM edits",
    "SELECT COUNT(*) FROM introspected",
    "SELECT channel, COUNT(*) AS c, SUM(added) AS s FROM edits GROUP BY channel ORDER BY s DESC LIMIT 5",
    "SELECT FLOOR(\"__time\" TO HOUR) AS h, COUNT(*) AS c FROM edits GROUP BY FLOOR(\"__time\" TO HOUR) ORDER BY h",
    "SELECT channel, FLOOR(\"__time\" TO DAY) AS d, SUM(added) FROM edits GROUP BY channel, FLOOR(\"__time\" TO DAY) ORDER BY 3 DESC LIMIT 3",
    "SELECT CEIL(\"__time\" TO HOUR), COUNT(*) FROM edits GROUP BY CEIL(\"__time\" TO HOUR) ORDER BY 1 LIMIT 3",
    "SELECT EXTRACT(HOUR FROM \"__time\") AS h, SUM(added) FROM edits GROUP BY EXTRACT(HOUR FROM \"__time\") ORDER BY 1 LIMIT 4",
    "SELECT namespace, isRobot, MAX(added), MIN(delta), AVG(added) FROM edits WHERE channel IN ('#en.wikipedia', '#fr.wikipedia') GROUP BY namespace, isRobot ORDER BY 1, 2",
    "SELECT DISTINCT countryName FROM edits WHERE countryName LIKE 'A%' ORDER BY 1",
    "SELECT COUNT(DISTINCT channel) FROM edits",
    "SELECT UPPER(channel), CHAR_LENGTH(channel), COUNT(*) FROM edits WHERE CHAR_LENGTH(channel) < 13 GROUP BY UPPER(channel), CHAR_LENGTH(channel) ORDER BY 3 DESC, 1 LIMIT 4",
    "SELECT channel, COUNT(*) AS c FROM edits GROUP BY channel HAVING COUNT(*) > 1000 ORDER BY 2 DESC",
    "SELECT SUM(added) FILTER (WHERE isRobot = 'true') AS a, SUM(added) AS b, SUM(added) / COUNT(*) AS d FROM edits",
    "SELECT COUNT(*) FROM edits WHERE cityName IS NULL AND countryName IS NOT NULL",
    "SELECT COUNT(*) FROM edits WHERE \"__time\" >= TIMESTAMP '2015-09-12 05:00:00' AND \"__time\" < TIMESTAMP '2015-09-12 06:00:00'",
    "SELECT COUNT(*) FROM edits WHERE channel < '#d' OR NOT (isRobot = 'true')",
    "SELECT COUNT(*) FROM edits WHERE page LIKE '%war%' AND CAST(added AS VARCHAR) = '10'",
    "SELECT CASE WHEN added > 100 THEN 'large' ELSE 'small' END AS k, COUNT(*) FROM edits GROUP BY CASE WHEN added > 100 THEN 'large' ELSE 'small' END ORDER BY 1",
    "SELECT SUBSTRING(channel FROM 2 FOR 2) AS l, COUNT(*) FROM edits GROUP BY SUBSTRING(channel FROM 2 FOR 2) ORDER BY 2 DESC, 1 LIMIT 5",
    "SELECT channel || '-' || isRobot AS x, COUNT(*) FROM edits GROUP BY channel || '-' || isRobot ORDER BY 2 DESC LIMIT 3",
    "SELECT SUM(added + 1), SUM(added * delta), SUM(ABS(delta)) FROM edits",
    "SELECT a.channel, a.c, b.c FROM (SELECT channel, COUNT(*) AS c FROM edits GROUP BY channel) a"
        + " JOIN (SELECT channel, COUNT(*) AS c FROM edits WHERE isRobot = 'true' GROUP BY channel) b ON a.channel = b.channel ORDER BY 1 LIMIT 3",
    "SELECT page FROM edits WHERE added > 5000 LIMIT 5",
    "SELECT \"__time\", page, added FROM edits ORDER BY \"__time\" LIMIT 3",
  };

  public static void main(String[] arguments) throws Exception {
    Properties properties = new Properties();
    properties.put("model", MODEL.formatted(System.getenv("DRUID_URL"), System.getenv("CLIENTS_DATASOURCE")));
    properties.put("caseSensitive", "true");
    properties.put("unquotedCasing", "UNCHANGED");
    properties.put("quotedCasing", "UNCHANGED");
    properties.put("timeZone", "UTC");
    try (Connection connection = DriverManager.getConnection("jdbc:calcite:", properties)) {
      TreeSet<String> columns = new TreeSet<>();
      try (ResultSet found = connection.getMetaData().getColumns(null, "druid", "introspected", null)) {
        while (found.next()) columns.add(found.getString("COLUMN_NAME") + " " + found.getString("TYPE_NAME"));
      }
      print("columns", "\"reply\":" + json(columns.toString()));
      for (String query : QUERIES) print(query, answerTo(connection, query));
    }
  }

  private static String answerTo(Connection connection, String query) {
    try (Statement statement = connection.createStatement(); ResultSet found = statement.executeQuery(query)) {
      StringBuilder rows = new StringBuilder();
      while (found.next()) {
        String[] row = new String[found.getMetaData().getColumnCount()];
        for (int at = 0; at < row.length; at++) row[at] = json(found.getObject(at + 1));
        rows.append(rows.isEmpty() ? "" : ",").append(Arrays.toString(row));
      }
      return "\"reply\":[" + rows + "]";
    } catch (Exception error) {
      Throwable cause = error;
      while (cause.getCause() != null) cause = cause.getCause();
      return "\"error\":" + json(cause.getClass().getSimpleName()) + ",\"message\":" + json(cause.getMessage());
    }
  }

  private static void print(String name, String rest) {
    System.out.println("{\"name\":" + json(name) + "," + rest + "}");
  }

  private static String json(Object value) {
    if (value == null || value instanceof Number || value instanceof Boolean) return String.valueOf(value);
    return "\"" + value.toString().replace("\\", "\\\\").replace("\"", "\\\"").replaceAll("\\s+", " ") + "\"";
  }
}
