import ArgumentParser
import LogbookInspection
import LogbookStores

struct GatewaysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateways",
        abstract: "List all gateways: their records and last status.",
        discussion: """
            PENDING counts missing records that will be requested once the gateway is connected; LOST \
            counts records that no longer exist. STATUS and LAST SEEN come from the store: changes are \
            stored at once, an unchanged status every five minutes. The page /gateways shows whether a \
            gateway is connected now. If several logbooks share the store, the list below shows the \
            gateways that each logbook owns.

            Exit status: 0, or 2 if nothing could be read.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @OptionGroup var options: StoreOptions

    func run() throws {
        let calendar = try configurationOption.calendar(options.choice)
        _ = try options.show(
            configurationOption,
            {
                GatewayTable(
                    try GatewaySummary.all(in: $0), sharers: try $0.sharers(), calendar: calendar)
            },
            lines: \.lines, json: \.json)
    }
}
