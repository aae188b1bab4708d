import Testing

@testable import Contract

@Suite struct TopicPrefixTests {
    private static let gateway = GatewayID("boathouse")!
    private static let erg = StationID("seat-3")!

    @Test(arguments: ["rowgate", "club/north", "a", "Häuser am See/1", "rowgate/v1", "x-logbook/y", "a$"])
    func acceptsLevels(text: String) throws {
        let prefix = try TopicPrefix(text)
        #expect(prefix.text == text)
        let topics = TopicMap(gateway: Self.gateway, below: prefix)
        let topic = topics.topic(of: .state(Self.erg))
        #expect(topic == "\(text)/v1/boathouse/erg/seat-3/state")
        #expect(prefix.parse(topic)?.gateway == Self.gateway)
        #expect(prefix.parse(topic)?.topic == .retained(.state(Self.erg)))
        #expect(topics.incoming(topic) == .retained(Self.erg))
        #expect(
            topics.incoming("\(text)/v1/boathouse/cmd/ping") == .command(target: .gateway, verb: "ping"))
        #expect(topics.subscriptions.dropLast().allSatisfy { $0.hasPrefix("\(text)/v1/boathouse/") })
        let filters =
            [prefix.filter(of: nil)] + prefix.durableFilters + prefix.replyFilters + prefix.otherFilters
        #expect(filters.allSatisfy { $0.hasPrefix("\(text)/v1/+/") })
        #expect(
            LogbookTopicMap(logbook: LogbookID("club")!, below: prefix).topic(of: .best)
                == "\(text)-logbook/v1/club/best")
    }

    @Test(arguments: [
        ("", "is empty"), ("a/#", "wildcards"), ("a+", "wildcards"), ("$SYS", "begins with $"),
        ("/a", "begins or ends with /"), ("a/", "begins or ends with /"), ("/", "begins or ends with /"),
        ("a//b", "contains //"), ("a\u{0}b", "a NUL"), ("a\nb", "MQTT does not allow"),
        ("a\u{FFFF}", "MQTT does not allow"), ("rowgate-logbook", "-logbook"),
        ("homeassistant/device", "Home Assistant"), (String(repeating: "a", count: 65), "at most 64"),
    ])
    func refusesOthersWithReasonAndRemedy(text: String, reason: String) {
        do {
            _ = try TopicPrefix(text)
            Issue.record("\(text) is accepted")
        } catch {
            #expect(error.reason.contains(reason) && !error.remedy.isEmpty, "\(error)")
        }
    }

    @Test func prefixesDoNotSeeEachOther() throws {
        let prefixes = try ["rowgate", "rowgate2", "rowgate/v1", "club/rowgate", "Rowgate", "e\u{301}", "é"]
            .map { try TopicPrefix($0) }
        for one in prefixes {
            let topic = TopicMap(gateway: Self.gateway, below: one).topic(of: .birth)
            for other in prefixes {
                let isSame = Array(one.text.utf8) == Array(other.text.utf8)
                #expect((other.parse(topic) != nil) == isSame, "\(one) \(other)")
            }
        }
    }

    @Test func repliesCannotOverwriteOurMessages() throws {
        let topics = TopicMap(gateway: Self.gateway, below: try TopicPrefix("a/rsp/b"))
        #expect(!topics.mayReply(on: "a/rsp/b/v1/boathouse/health"))
        #expect(topics.mayReply(on: "a/rsp/b/v1/boathouse/rsp/ping"))
        #expect(topics.mayReply(on: "a/rsp/b/v1/boathouse/erg/seat-3/rsp/rate"))
        #expect(topics.mayReply(on: "coach/replies"))
    }

    @Test func homeAssistantNamesDiffer() throws {
        let names = try ["rowgate", "club/north", "club-north", "club", "club_north"].map {
            let topics = TopicMap(gateway: Self.gateway, below: try TopicPrefix($0))
            return [topics.homeAssistantName(of: Self.erg), topics.homeAssistantName(of: nil)]
        }
        #expect(names[0] == ["rowgate-boathouse-seat-3", "rowgate_boathouse"])
        #expect(names[1] == ["club_X2Fnorth-boathouse-seat-3", "club_X2Fnorth_boathouse"])
        #expect(Set(names.flatMap(\.self)).count == 2 * names.count)
        #expect(
            names.flatMap(\.self).allSatisfy {
                $0.allSatisfy { $0.isLetter || $0.isNumber || "_-".contains($0) }
            })
    }
}
