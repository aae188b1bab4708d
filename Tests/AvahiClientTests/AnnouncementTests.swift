import Testing

@testable import AvahiClient

struct AnnouncementTests {
    @Test func omitsTextEntriesThatDoNotFit() {
        let long = String(repeating: "x", count: 250)
        let service = Announcement.Service(
            "_rowgate._tcp", port: 1883,
            text: ["id": "north", "a": long + "xyz", "ab": long + "xyz", "broker": nil, "prefix": ""])
        #expect(service.text == ["id=north", "a=\(long)xyz", "prefix="])
    }

    @Test(arguments: [
        ("Wall of Ruderclub Nord", "Wall of Ruderclub Nord"), ("two\nlines\u{7F}", "twolines"), ("", ""),
        (String(repeating: "ü", count: 40), String(repeating: "ü", count: 31)),
        (String(repeating: "x", count: 62) + "🚣", String(repeating: "x", count: 62)),
    ])
    func shortensNamesBetweenCharacters(name: String, short: String) {
        #expect(Announcement(name: name, services: []).name == short)
    }
}
