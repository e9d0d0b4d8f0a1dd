# Completion of svcctl for PowerShell. Load it in $PROFILE: svcctl completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName svcctl -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object {
    if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
  })
  if ($wordToComplete -eq '') {
    $words += if ($PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { '' }
  }
  svcctl __complete -- @words 2>$null | ForEach-Object {
    $text = if ($_ -match '^[\w./:=+-]+$') { $_ } else { "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($_) + "'" }
    [System.Management.Automation.CompletionResult]::new($text, $_, 'ParameterValue', $_)
  }
}
