// What a program sees of a service through the driver, one line for each thing: `name = what came back`. The lines of two services can be compared.
// Usage: java -cp ... Jdbc.java STORY URL SERIALIZATION [name=value of a connection property ...]
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Connection;
import java.sql.Date;
import java.sql.DriverManager;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32;

public class Jdbc {
  private static String url;
  private static final Properties properties = new Properties();

  public static void main(String[] args) throws Exception {
    url = "jdbc:avatica:remote:url=" + args[1] + ";serialization=" + args[2] + ";timeZone=UTC";
    for (String pair : Arrays.asList(args).subList(3, args.length)) {
      int at = pair.indexOf('=');
      properties.setProperty(pair.substring(0, at), pair.substring(at + 1));
    }
    switch (args[0]) {
      case "answers" -> answers();
      case "many" -> many();
      case "left" -> left();
      case "users" -> users();
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void answers() throws Exception {
    try (Connection connection = DriverManager.getConnection(url, properties)) {
      say("catalogs", () -> all(connection.getMetaData().getCatalogs()));
      say("schemas", () -> all(connection.getMetaData().getSchemas()));
      say("schemas like d%", () -> all(connection.getMetaData().getSchemas("druid", "d%")));
      say("table types", () -> all(connection.getMetaData().getTableTypes()));
      say("tables", () -> all(connection.getMetaData().getTables(null, "druid", "wiki%", null)));
      say("tables of a type", () -> all(connection.getMetaData().getTables("druid", "INFORMATION\\_SCHEMA", null, new String[] {"SYSTEM_TABLE"})));
      say("tables with a quote", () -> all(connection.getMetaData().getTables(null, null, "it's", null)));
      say("columns", () -> all(connection.getMetaData().getColumns(null, "druid", "wikipedia", "c%")));
      say("product", () -> connection.getMetaData().getDatabaseProductName());
      say("auto commit", () -> {
        connection.setAutoCommit(true);
        connection.commit();
        return String.valueOf(connection.getAutoCommit());
      });
      for (String expression : EXPRESSIONS)
        say(expression, () -> {
          try (Statement statement = connection.createStatement()) {
            return all(statement.executeQuery("SELECT " + expression + " AS x FROM wikipedia LIMIT 1"));
          }
        });
      say("getters", () -> getters(connection));
      say("array", () -> array(connection));
      say("rows", () -> rows(connection, 0));
      say("rows in frames of 1000", () -> rows(connection, 1000));
      say("an empty result", () -> query(connection, "SELECT channel FROM wikipedia WHERE channel = 'none'"));
      say("a syntax error", () -> query(connection, "SELECT FROM wikipedia"));
      say("an unknown column", () -> query(connection, "SELECT nope FROM wikipedia"));
      say("an unknown table", () -> query(connection, "SELECT * FROM \"it's not there\""));
      say("an update", () -> query(connection, "INSERT INTO x SELECT * FROM wikipedia PARTITIONED BY ALL"));
      say("prepared", () -> prepared(connection));
      say("prepared again", () -> preparedAgain(connection));
      say("prepared with null", () -> preparedWithNull(connection));
      say("prepared without a value", () -> {
        try (PreparedStatement statement = connection.prepareStatement("SELECT COUNT(*) FROM wikipedia WHERE added > ?")) {
          return all(statement.executeQuery());
        }
      });
      say("parameters", () -> parameters(connection));
      say("prepared and wrong", () -> {
        try (PreparedStatement statement = connection.prepareStatement("SELECT nope FROM wikipedia WHERE added > ?")) {
          return "prepared";
        }
      });
      say("a batch", () -> {
        try (Statement statement = connection.createStatement()) {
          statement.addBatch("SELECT 1");
          return Arrays.toString(statement.executeBatch());
        }
      });
      say("five statements", () -> {
        List<Statement> statements = new ArrayList<>();
        try {
          for (int at = 0; at < 5; at++) {
            Statement statement = connection.createStatement();
            statements.add(statement);
            statement.executeQuery("SELECT channel FROM wikipedia LIMIT 1000").next();
          }
          return "all";
        } finally {
          for (Statement statement : statements) statement.close();
        }
      });
      say("closed statements make room", () -> query(connection, "SELECT COUNT(*) FROM wikipedia"));
    }
    say("a zone", () -> {
      Properties zoned = new Properties();
      zoned.setProperty("sqlTimeZone", "America/New_York");
      try (Connection connection = DriverManager.getConnection(url, zoned); PreparedStatement statement = connection.prepareStatement(
          "SELECT MIN(__time), CAST(MIN(__time) AS DATE), TIME_FLOOR(MIN(__time), 'P1D') FROM wikipedia WHERE __time >= ?")) {
        statement.setTimestamp(1, Timestamp.valueOf("2015-09-12 00:00:00"));
        return all(statement.executeQuery());
      }
    });
    say("64 connections, 16 at a time", () -> {
      ExecutorService pool = Executors.newFixedThreadPool(16);
      List<Future<String>> counts = new ArrayList<>();
      for (int at = 0; at < 64; at++) counts.add(pool.submit(Jdbc::one));
      int right = 0;
      for (Future<String> count : counts) if (count.get().endsWith("39244")) right++;
      pool.shutdown();
      return String.valueOf(right);
    });
  }

  private static final String[] EXPRESSIONS = {
    "1", "CAST(3000000000 AS BIGINT)", "CAST(-5 AS BIGINT)", "1.5", "CAST(1.25 AS DECIMAL(10, 2))", "CAST(2 AS DOUBLE)", "CAST(0.1 AS FLOAT)", "CAST(1 AS REAL)",
    "TRUE", "'x'", "CAST('x' AS VARCHAR)", "CAST('x' AS CHAR(3))", "CAST(NULL AS VARCHAR)", "CAST(NULL AS BIGINT)", "'ünï😀'", "''", "TIMESTAMP '2020-01-02 03:04:05'",
    "DATE '2020-01-02'", "MIN(__time)", "COUNT(*)", "SUM(added)", "AVG(added)", "MAX(delta) > 3", "ARRAY[1, 2]", "ARRAY['a', NULL]", "ARRAY[1.5, 2]",
    "JSON_OBJECT('a': 1)", "ARRAY_TO_MV(ARRAY['x', 'y'])", "SUM(added) / 0e0", "1e20", "1e-7", "-0.0", "CAST(0 AS BIGINT)", "LATEST(channel)"
  };

  private interface Step {
    String run() throws Exception;
  }

  private static void say(String name, Step step) {
    String result;
    try {
      result = step.run();
    } catch (Exception error) {
      result = "refused: " + reasonOf(error);
    }
    System.out.println(name.replace("\n", "\\n") + " = " + result.replace("\n", "\\n"));
  }

  // The first exception of the service, without those that caused it there.
  private static String reasonOf(Throwable error) {
    StringBuilder said = new StringBuilder();
    for (Throwable at = error; at != null; at = at.getCause()) said.append(at.getMessage()).append(" | ");
    String text = said.toString();
    int from = text.indexOf("Remote driver error: ");
    String reason = from < 0 ? text : text.substring(from + "Remote driver error: ".length());
    int to = reason.indexOf(" -> ");
    reason = to < 0 ? reason : reason.substring(0, to);
    int tokens = reason.indexOf("acceptable options");
    reason = tokens < 0 ? reason : reason.substring(0, tokens);
    int lines = reason.indexOf('\n');
    return lines < 0 ? reason : reason.substring(0, lines);
  }

  private static String all(ResultSet rows) throws SQLException {
    StringBuilder text = new StringBuilder();
    ResultSetMetaData columns = rows.getMetaData();
    for (int at = 1; at <= columns.getColumnCount(); at++)
      text.append(columns.getColumnLabel(at)).append(':').append(columns.getColumnTypeName(at)).append(':').append(columns.getColumnType(at)).append(' ');
    while (rows.next()) {
      text.append("| ");
      for (int at = 1; at <= columns.getColumnCount(); at++) text.append(shown(rows.getObject(at))).append(' ');
    }
    rows.close();
    return text.toString().trim();
  }

  private static String shown(Object value) throws SQLException {
    if (value == null) return "null";
    if (value instanceof Array array) return "Array" + Arrays.toString((Object[]) array.getArray());
    return value.getClass().getSimpleName() + "(" + value + ")";
  }

  private static String query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return all(statement.executeQuery(sql));
    }
  }

  private static String one() throws SQLException {
    try (Connection connection = DriverManager.getConnection(url, properties); Statement statement = connection.createStatement()) {
      ResultSet rows = statement.executeQuery("SELECT COUNT(*) FROM wikipedia");
      rows.next();
      return "counted " + rows.getLong(1);
    }
  }

  private static String getters(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      ResultSet row = statement.executeQuery("SELECT MIN(__time), COUNT(*), SUM(added) * 1.5, 'text', TRUE, CAST(MIN(__time) AS DATE), CAST(NULL AS BIGINT), AVG(added) FROM wikipedia");
      row.next();
      return String.join(" ", List.of(
          row.getTimestamp(1).toInstant().toString(), row.getString(1), "" + row.getLong(1), "" + row.getInt(2), "" + row.getLong(2), row.getString(2), "" + row.getDouble(2),
          "" + row.getBigDecimal(3), "" + row.getDouble(3), row.getString(4), "" + row.getBoolean(5), row.getDate(6).toString(), row.getString(6),
          "" + row.getLong(7), "" + row.wasNull(), "" + row.getFloat(8), row.getString(8)));
    }
  }

  private static String array(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      ResultSet row = statement.executeQuery("SELECT ARRAY['a', 'b'], ARRAY[1, 2, 3] FROM wikipedia LIMIT 1");
      row.next();
      ResultSet items = row.getArray(1).getResultSet();
      StringBuilder text = new StringBuilder();
      while (items.next()) text.append(items.getInt(1)).append('=').append(items.getString(2)).append(' ');
      return text + row.getArray(2).getBaseTypeName() + " " + Arrays.toString((Object[]) row.getArray(2).getArray());
    }
  }

  // Every row and every column, whatever the order of the rows.
  private static String rows(Connection connection, int fetchSize) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (fetchSize > 0) statement.setFetchSize(fetchSize);
      ResultSet rows = statement.executeQuery("SELECT __time, channel, page, \"user\", added, deleted, delta, isNew, cityName, comment FROM wikipedia");
      long count = 0;
      long sum = 0;
      while (rows.next()) {
        CRC32 crc = new CRC32();
        for (int at = 1; at <= 10; at++) crc.update((shown(rows.getObject(at)) + ";").getBytes(java.nio.charset.StandardCharsets.UTF_8));
        sum += crc.getValue();
        count++;
      }
      return count + " rows " + sum;
    }
  }

  private static String prepared(Connection connection) throws SQLException {
    String sql = "SELECT COUNT(*) FROM wikipedia WHERE channel = ? AND added > ? AND deleted >= ? AND delta < ? AND added < ? AND delta > ? AND __time >= ? AND isNew = ?"
        + " AND CAST(__time AS DATE) <= ? AND added >= ? AND added >= ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, "#en.wikipedia");
      statement.setInt(2, 100);
      statement.setLong(3, 0L);
      statement.setDouble(4, 1e6);
      statement.setBigDecimal(5, new BigDecimal("123456.5"));
      statement.setFloat(6, -100.5f);
      statement.setTimestamp(7, Timestamp.valueOf("2015-09-12 01:02:03.456"));
      statement.setString(8, "false");
      statement.setDate(9, Date.valueOf("2015-09-13"));
      statement.setShort(10, (short) 1);
      statement.setByte(11, (byte) 2);
      return all(statement.executeQuery());
    }
  }

  private static String preparedAgain(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("SELECT channel, COUNT(*) AS n FROM wikipedia WHERE channel = ? AND CAST(? AS BOOLEAN) GROUP BY channel")) {
      StringBuilder text = new StringBuilder();
      for (String channel : List.of("#en.wikipedia", "#de.wikipedia", "none")) {
        statement.setString(1, channel);
        statement.setBoolean(2, true);
        text.append(all(statement.executeQuery())).append("; ");
      }
      return text.toString();
    }
  }

  private static String preparedWithNull(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("SELECT CAST(? AS VARCHAR) AS a, CAST(? AS BIGINT) AS b, COUNT(*) AS n FROM wikipedia")) {
      statement.setString(1, null);
      statement.setNull(2, java.sql.Types.BIGINT);
      return all(statement.executeQuery());
    }
  }

  private static String parameters(Connection connection) throws SQLException {
    String sql = "SELECT added + ? AS s, ? * 2, CASE WHEN channel = ? THEN 1 ELSE 0 END FROM wikipedia WHERE __time >= ? AND channel LIKE ? AND added BETWEEN ? AND ?"
        + " AND channel IN (?, ?) AND delta < CAST(? AS DOUBLE) LIMIT ?";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      StringBuilder text = new StringBuilder();
      ParameterMetaData parameters = statement.getParameterMetaData();
      for (int at = 1; at <= parameters.getParameterCount(); at++)
        text.append(parameters.getParameterTypeName(at)).append(':').append(parameters.getParameterType(at)).append(':').append(parameters.getPrecision(at)).append(' ');
      ResultSetMetaData columns = statement.getMetaData();
      for (int at = 1; at <= columns.getColumnCount(); at++) text.append(columns.getColumnName(at)).append(':').append(columns.getColumnTypeName(at)).append(' ');
      return text.toString().trim();
    }
  }

  // 64 connections that are open at once, each with a result that is only begun.
  private static void many() throws SQLException {
    List<Connection> connections = new ArrayList<>();
    try {
      for (int at = 0; at < 64; at++) {
        Connection connection = DriverManager.getConnection(url, properties);
        connections.add(connection);
        ResultSet rows = connection.createStatement().executeQuery("SELECT page FROM wikipedia");
        rows.next();
      }
      System.out.println("open = " + connections.size());
      say("one more", Jdbc::one);
    } finally {
      for (Connection connection : connections) connection.close();
    }
    say("after they are closed", Jdbc::one);
  }

  private static void users() {
    String[][] credentials = {{"admin", "sesame"}, {"admin", "wrong"}, {"stranger", "stranger"}, {"nobody", "sesame"}, {}};
    for (String[] pair : credentials) {
      properties.clear();
      if (pair.length > 0) {
        properties.setProperty("user", pair[0]);
        properties.setProperty("password", pair[1]);
      }
      say(String.join(":", pair), Jdbc::one);
    }
  }

  // A result that is begun and left for longer than a connection may be idle.
  private static void left() throws Exception {
    try (Connection connection = DriverManager.getConnection(url, properties)) {
      Statement statement = connection.createStatement();
      ResultSet rows = statement.executeQuery("SELECT page FROM wikipedia");
      for (int at = 0; at < 10; at++) rows.next();
      System.out.println("waiting");
      Thread.sleep(4000);
      say("the rest", () -> {
        while (rows.next());
        return "read";
      });
      say("a new statement", () -> query(connection, "SELECT COUNT(*) AS n FROM wikipedia"));
    }
    properties.setProperty("timeout", "x");
    say("a timeout that is none", Jdbc::one);
    properties.setProperty("timeout", "1");
    say("a timeout", () -> {
      try (Connection connection = DriverManager.getConnection(url, properties)) {
        return query(connection, "SELECT COUNT(*) FROM wikipedia a, wikipedia b WHERE a.page < b.page AND a.comment < b.comment");
      }
    });
  }
}
