import ArgumentParser
import LogbookInspection
import LogbookStores

struct GatewaysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gateways",
        abstract: "List every gateway: what is here of it, and what it last said of itself.",
        discussion: """
            OWED are records that it is asked for when it is there, LOST those that nobody has any more. \
            LAST SAID and HEARD are what the store remembers, also of a gateway that is away: a change at \
            once, that nothing changed every five minutes. Whether it is there at this moment the page \
            /gateways shows. Where several logbooks share the store, each is listed below with what it keeps.

            Exit status: 0, or 2 when nothing could be read.
            """)

    @OptionGroup var place: ConfigurationOption
    @OptionGroup var options: StoreOptions

    func run() throws {
        let calendar = try place.calendar(options.choice)
        _ = try options.show(
            place,
            {
                GatewayTable(
                    try GatewayAccount.all(in: $0), sharers: try $0.sharers(), calendar: calendar)
            },
            lines: \.lines, json: \.json)
    }
}
