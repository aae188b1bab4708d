/// An athlete of the demo's club: a name, details, and habits of training. All people are invented.
package struct DemoAthlete: Sendable {
    /// The athlete's id in the logbook.
    package let id: String
    /// As people write it.
    package let name: String
    /// The number of the erg on which the athlete always rows.
    package let erg: Int
    let shortName: String
    let gender: String
    /// In years.
    let age: Int
    let weightClass: String
    /// Names of groups.
    let groups: [String]
    /// Weekdays on which the athlete trains, 0 for Monday.
    let weekdays: Set<Int>
    /// Share of these days on which the athlete really trains.
    let attendance: Double
    /// Gain of speed during the season, as a share of today's speed.
    let gain: Double
    /// Days between the last session and today: 0 for as planned.
    let absence: Int
    /// Weeks of the season before the first session.
    let firstWeek: Int

    /// The eight athletes, in the order of their ergs.
    package static let all = [
        DemoAthlete(
            id: "amara-okafor", name: "Amara Okafor", erg: 1, shortName: "Amara", gender: "female", age: 24,
            weightClass: "heavyweight", groups: ["Seniors"], weekdays: [0, 1, 3, 5], attendance: 0.95,
            gain: 0.035, absence: 0, firstWeek: 0),
        DemoAthlete(
            id: "mateo-silva", name: "Mateo Silva", erg: 2, shortName: "Mateo", gender: "male", age: 18,
            weightClass: "lightweight", groups: ["Juniors"], weekdays: [1, 5], attendance: 0.8,
            gain: 0.06, absence: 0, firstWeek: 0),
        DemoAthlete(
            id: "lena-fischer", name: "Lena Fischer", erg: 3, shortName: "Lena", gender: "female", age: 16,
            weightClass: "lightweight", groups: ["Juniors"], weekdays: [1, 3, 5], attendance: 0.9,
            gain: 0.07, absence: 0, firstWeek: 0),
        DemoAthlete(
            id: "jonas-weber", name: "Jonas Weber", erg: 4, shortName: "Jonas", gender: "male", age: 27,
            weightClass: "heavyweight", groups: ["Seniors"], weekdays: [1, 2, 3, 5], attendance: 0.9,
            gain: 0.025, absence: 0, firstWeek: 0),
        DemoAthlete(
            id: "noor-haddad", name: "Noor Haddad", erg: 5, shortName: "Noor", gender: "female", age: 31,
            weightClass: "lightweight", groups: ["Seniors"], weekdays: [0, 1, 3], attendance: 0.85,
            gain: 0.02, absence: 0, firstWeek: 0),
        DemoAthlete(
            id: "tom-becker", name: "Tom Becker", erg: 6, shortName: "Tom", gender: "male", age: 44,
            weightClass: "heavyweight", groups: ["Masters"], weekdays: [2, 5, 6], attendance: 0.9,
            gain: 0.01, absence: 0, firstWeek: 0),
        DemoAthlete(
            id: "ingrid-larsen", name: "Ingrid Larsen", erg: 7, shortName: "Ingrid", gender: "female",
            age: 46,
            weightClass: "heavyweight", groups: ["Masters"], weekdays: [3, 5], attendance: 0.85,
            gain: 0.02, absence: 16, firstWeek: 0),
        DemoAthlete(
            id: "kenji-mori", name: "Kenji Mori", erg: 8, shortName: "Kenji", gender: "male", age: 38,
            weightClass: "heavyweight", groups: ["Masters"], weekdays: [2, 5], attendance: 0.75,
            gain: 0.09, absence: 0, firstWeek: 3),
    ]
}
